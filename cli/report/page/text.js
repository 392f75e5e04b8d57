// Numbers as people read them, lengths as the command takes them.

function digits(value, count) {
  return Number(value.toPrecision(count)).toLocaleString("en-US", { maximumSignificantDigits: count });
}

function timeText(us) {
  if (us < 1000) return `${us.toPrecision(4)} µs`;
  if (us < 1e6) return `${(us / 1e3).toPrecision(4)} ms`;
  return `${(us / 1e6).toPrecision(4)} s`;
}

// Keys a microsecond.
function rateText(rate) {
  if (rate >= 999.5) return `${rate < 999500 ? (rate / 1000).toPrecision(3) : Math.round(rate / 1000).toLocaleString("en-US")} Gkeys/s`;
  if (rate >= 1) return `${rate.toPrecision(3)} Mkeys/s`;
  return `${(rate * 1000).toPrecision(3)} kkeys/s`;
}

function sizeText(n) {
  const exponent = Math.log2(n);
  return n >= 1024 && Number.isInteger(exponent) ? `2^${exponent}` : n.toLocaleString("en-US");
}

// A length that need not be whole, such as where two lines cross.
function aboutSizeText(n) {
  return n < 1024 ? digits(n, 2) : n < 1048576 ? `${digits(n / 1024, 3)} Ki` : `${digits(n / 1048576, 3)} Mi`;
}

// A rate or time without the zeros behind its point.
function shortText(text) {
  return text.replace(/(\.\d*?)0+(?= )/, "$1").replace(/\.(?= )/, "");
}

function ratioText(ratio) {
  return `${ratio < 9.995 ? ratio.toFixed(2) : digits(ratio, 3)}×`;
}

function percentText(part) {
  const places = part >= 0.0995 || part === 0 ? 0 : part >= 0.00095 ? 1 : 2;
  return `${(100 * part).toFixed(places)} %`;
}

function countText(count, one, many) {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many ?? `${one}s`}`;
}

// Half the width of an interval, in parts of the median. One sample has none.
function intervalText(timed) {
  return timed.low === timed.high ? "" : `±${percentText((timed.high - timed.low) / 2 / timed.us)}`;
}

function statusText(status) {
  return status.replaceAll("_", " ");
}
