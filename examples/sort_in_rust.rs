//! Sorts the floats of a slice with the items that they belong to, from Rust, without any crate. Without a GPU it sorts on the emulated
//! device.
//!
//!     rustc -O sort_in_rust.rs -L native=PREFIX/lib -l bitune -C link-arg=-Wl,-rpath,PREFIX/lib
//!
//! The module `c` declares what this program calls of bitune/bitune.h; `Sorter` is a safe face of it. bindgen makes such a module of the
//! whole header.

use std::ffi::{c_char, c_void, CStr};
use std::fmt;

mod c {
    use super::{c_char, c_void};

    pub const SORT_PAIRS: u32 = 1;
    pub const KEY_F32: u32 = 8;

    /// A `bitune_problem`.
    #[repr(C)]
    pub struct Problem {
        pub size: usize,
        pub operation: u32,
        pub key: u32,
        pub value_bytes: u32,
        pub index_bytes: u32,
        pub order: u32,
        pub stable: u32,
        pub k: u64,
        pub n: u64,
        pub rows: u64,
        pub ragged: u32,
        pub reserved: u32,
    }

    /// A `bitune_operand`; null where there is none.
    #[repr(C)]
    pub struct Operand {
        pub data: *mut c_void,
        pub elements: u64,
        pub stride: u64,
    }

    /// A `bitune_operands`.
    #[repr(C)]
    pub struct Operands {
        pub size: usize,
        pub keys_in: Operand,
        pub keys_out: Operand,
        pub values_in: Operand,
        pub values_out: Operand,
        pub indices_out: Operand,
        pub offsets: Operand,
        pub lengths: Operand,
        pub workspace: Operand,
    }

    pub enum Sorter {}

    extern "C" {
        pub fn bitune_last_error() -> *const c_char;
        pub fn bitune_free(text: *mut c_void);
        pub fn bitune_sorter_create(options: *const c_void, sorter: *mut *mut Sorter) -> i32;
        pub fn bitune_sorter_destroy(sorter: *mut Sorter);
        pub fn bitune_device_name(sorter: *mut Sorter, name: *mut *mut c_char) -> i32;
        pub fn bitune_run_host(sorter: *mut Sorter, problem: *const Problem, operands: *const Operands, times: *mut c_void) -> i32;
    }
}

impl c::Operand {
    const NONE: c::Operand = c::Operand { data: std::ptr::null_mut(), elements: 0, stride: 0 };

    fn of<T>(slice: &mut [T]) -> c::Operand {
        c::Operand { data: slice.as_mut_ptr().cast(), elements: slice.len() as u64, stride: 0 }
    }
}

/// What the library says of a call that failed.
#[derive(Debug)]
struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn checked(status: i32) -> Result<(), Error> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: a text that ends with a zero byte, and is valid until the next call of this thread.
    let sentence = unsafe { CStr::from_ptr(c::bitune_last_error()) };
    Err(Error(sentence.to_string_lossy().into_owned()))
}

/// A sorter for the current GPU, else the emulated device.
struct Sorter(*mut c::Sorter);

// SAFETY: every function of the library may be called from several threads at once, on one sorter as well.
unsafe impl Send for Sorter {}
unsafe impl Sync for Sorter {}

impl Sorter {
    fn new() -> Result<Sorter, Error> {
        let mut made = std::ptr::null_mut();
        // SAFETY: without options, and with a place for the sorter.
        checked(unsafe { c::bitune_sorter_create(std::ptr::null(), &mut made) })?;
        Ok(Sorter(made))
    }

    fn device(&self) -> Result<String, Error> {
        let mut text = std::ptr::null_mut();
        // SAFETY: the text is copied, and freed once.
        unsafe {
            checked(c::bitune_device_name(self.0, &mut text))?;
            let name = CStr::from_ptr(text).to_string_lossy().into_owned();
            c::bitune_free(text.cast());
            Ok(name)
        }
    }

    /// Sorts the keys, and moves each value with its key. Equal keys keep their order.
    fn sort_pairs<V: Copy>(&self, keys: &mut [f32], values: &mut [V]) -> Result<(), Error> {
        assert_eq!(keys.len(), values.len(), "each key has a value");
        let problem = c::Problem {
            size: std::mem::size_of::<c::Problem>(),
            operation: c::SORT_PAIRS,
            key: c::KEY_F32,
            value_bytes: std::mem::size_of::<V>() as u32,
            index_bytes: 0,
            order: 0,
            stable: 1,
            k: 0,
            n: keys.len() as u64,
            rows: 1,
            ragged: 0,
            reserved: 0,
        };
        let operands = c::Operands {
            size: std::mem::size_of::<c::Operands>(),
            keys_in: c::Operand::NONE,
            keys_out: c::Operand::of(keys),
            values_in: c::Operand::NONE,
            values_out: c::Operand::of(values),
            indices_out: c::Operand::NONE,
            offsets: c::Operand::NONE,
            lengths: c::Operand::NONE,
            workspace: c::Operand::NONE,
        };
        // SAFETY: the structs say how long the slices are, which nobody else reads or writes meanwhile.
        checked(unsafe { c::bitune_run_host(self.0, &problem, &operands, std::ptr::null_mut()) })
    }
}

impl Drop for Sorter {
    fn drop(&mut self) {
        // SAFETY: nobody can use it any more.
        unsafe { c::bitune_sorter_destroy(self.0) }
    }
}

fn main() -> Result<(), Error> {
    const COUNT: u32 = 5000;
    let mut prices: Vec<f32> = (0..COUNT).map(|i| ((i * 7919) % 1000) as f32 / 10.0).collect();
    let mut items: Vec<u32> = (0..COUNT).collect();

    let sorter = Sorter::new()?;
    sorter.sort_pairs(&mut prices, &mut items)?;
    println!("sorted {COUNT} prices on {}", sorter.device()?);
    println!("the lowest is {}, of item {}", prices[0], items[0]);

    let order = |i: usize| (prices[i], items[i]);
    assert!((1..prices.len()).all(|i| order(i - 1) < order(i)), "not sorted, or not stable");
    let refusal = sorter.sort_pairs(&mut prices, &mut vec![[0u8; 3]; COUNT as usize]).unwrap_err();
    println!("values of 3 bytes are refused: {refusal}");
    Ok(())
}
