// What a call of the short way (bitune/_tensors.py) does each time, without the interpreter. One module
// serves all versions of CPython from 3.9 on. Where it is not there, Python does the same.

#include <Python.h>
#include <bitune/bitune.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace {

struct Release {
  void operator()(PyObject* object) const { Py_DECREF(object); }
};
/// A reference that is given back.
using Owned = std::unique_ptr<PyObject, Release>;

/// What the first member of a `Call` holds.
struct Packed {
  bitune_status (*run)(bitune_sorter*, const bitune_problem*, const bitune_operands*, void*);
  bitune_sorter* sorter;
  std::uint64_t elements;  ///< of every operand, as is the stride
  std::uint64_t stride;
  bitune_problem problem;
};

enum Member : Py_ssize_t {
  member_packed,
  member_gpu,
  member_new_workspace,
  member_workspace_bytes,
  member_new_keys,
  members
};

/// Names of attributes and methods of tensors.
PyObject *dtype, *shape, *device, *is_contiguous, *is_neg, *requires_grad, *data_ptr;

/// DLPack's DLTensor, and of its C exchange API (DLPackExchangeAPI, from DLPack 1.3 on) what is used here.
struct View {
  void* data;
  std::int32_t device_type;
  std::int32_t device;
  std::int32_t dimensions;
  std::uint32_t dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct Exchange {
  std::uint32_t major;
  std::uint32_t minor;
  Exchange* before;  ///< of an older version
  void* not_used[3];
  int (*view_of)(void* tensor, View* view);
  int (*current_stream)(std::int32_t device_type, std::int32_t device, void** stream);
};
/// What PyTorch offers from 2.10 on: tensors and streams without Python's objects for their parts, each of
/// which takes 0.1 to 0.3 microseconds. Null where it is not there.
const Exchange* exchange = nullptr;
constexpr std::int32_t cuda_device = 2;
constexpr std::int32_t most_dimensions = 16;

/// Whether it has one. It has not if it is sparse, or of another kind that has no memory of its own.
bool find_view(PyObject* tensor, View* view) {
  if (exchange->view_of(tensor, view) == 0)
    return view->dimensions <= most_dimensions && view->strides != nullptr;
  PyErr_Clear();
  return false;
}

bool is_packed(const View& view) {
  std::int64_t packed = 1;
  for (std::int32_t i = view.dimensions; i-- > 0; packed *= view.shape[i]) {
    if (view.strides[i] != packed && view.shape[i] != 1) return false;
  }
  return true;
}

/// 1, 0, or -1 with an exception.
int truth_of(const Owned& answer) { return answer ? PyObject_IsTrue(answer.get()) : -1; }

/// As is_plain of _tensors.py.
int is_plain(PyObject* x) {
  int answer = 1;
  if (exchange == nullptr) answer = truth_of(Owned(PyObject_CallMethodObjArgs(x, is_contiguous, nullptr)));
  if (answer <= 0) return answer;
  answer = truth_of(Owned(PyObject_CallMethodObjArgs(x, is_neg, nullptr)));
  if (answer != 0) return answer < 0 ? answer : 0;
  answer = truth_of(Owned(PyObject_GetAttr(x, requires_grad)));
  return answer < 0 ? answer : 1 - answer;
}

/// By what of x and by what else a call is kept; None where x has no view. As key_of of _tensors.py, or
/// shorter.
Owned key_for(PyObject* x, PyObject* more, View* view) {
  if (exchange == nullptr) {
    const Owned x_dtype(PyObject_GetAttr(x, dtype));
    const Owned x_shape(x_dtype ? PyObject_GetAttr(x, shape) : nullptr);
    const Owned x_device(x_shape ? PyObject_GetAttr(x, device) : nullptr);
    return Owned(x_device ? PyTuple_Pack(4, x_dtype.get(), x_shape.get(), x_device.get(), more) : nullptr);
  }
  if (!find_view(x, view)) {
    Py_INCREF(Py_None);
    return Owned(Py_None);
  }
  std::array<std::int64_t, 2 + most_dimensions> facts{};
  facts[0] = std::int64_t{view->device_type} << 32 | view->device;
  facts[1] = view->dtype;
  const auto dimensions = static_cast<std::size_t>(view->dimensions);
  std::copy_n(view->shape, dimensions, facts.begin() + 2);
  const Owned described(
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(facts.data()),
                                static_cast<Py_ssize_t>((2 + dimensions) * sizeof facts[0])));
  return Owned(described ? PyTuple_Pack(2, described.get(), more) : nullptr);
}

/// The call for what x is, and `more`; None where the long way must be taken. Null with a KeyError where it
/// was not met before.
Owned call_for(PyObject* calls, PyObject* x, PyObject* more) {
  View view{};
  Owned key = key_for(x, more, &view);
  if (!key || key.get() == Py_None) return key;
  PyObject* found = PyDict_GetItemWithError(calls, key.get());
  if (found == nullptr) {
    if (PyErr_Occurred() == nullptr) PyErr_SetObject(PyExc_KeyError, key.get());
    return nullptr;
  }
  if (found != Py_None) {
    int plain = exchange == nullptr || is_packed(view) ? is_plain(x) : 0;
    if (plain < 0) {
      if (PyErr_ExceptionMatches(PyExc_RuntimeError) == 0) return nullptr;
      PyErr_Clear();  // a sparse tensor
      plain = 0;
    }
    if (plain == 0) found = Py_None;
  }
  Py_INCREF(found);
  return Owned(found);
}

/// Whether `number`, which may be null with an exception, is an address.
bool read_address(const Owned& number, void** address) {
  if (!number) return false;
  *address = PyLong_AsVoidPtr(number.get());
  return *address != nullptr || PyErr_Occurred() == nullptr;
}

/// device_type: is set, if that can be told.
bool read_data(PyObject* tensor, void** address, std::int32_t* device_type) {
  if (exchange == nullptr)
    return read_address(Owned(PyObject_CallMethodObjArgs(tensor, data_ptr, nullptr)), address);
  View view{};
  if (exchange->view_of(tensor, &view) != 0) return false;
  *address = static_cast<char*>(view.data) + view.byte_offset;
  *device_type = view.device_type;
  return true;
}

bool read_stream(PyObject* call, PyObject* current_stream, std::int32_t device_type, void** stream) {
  PyObject* const gpu = PyTuple_GetItem(call, member_gpu);
  if (device_type != cuda_device)
    return read_address(Owned(PyObject_CallFunctionObjArgs(current_stream, gpu, nullptr)), stream);
  const long number = PyLong_AsLong(gpu);
  return (number != -1 || PyErr_Occurred() == nullptr) &&
         exchange->current_stream(cuda_device, static_cast<std::int32_t>(number), stream) == 0;
}

/// The status; -1 with an exception. Tensors are keys, sorted keys, values, sorted values and indices, or
/// None.
int launch_call(PyObject* call, PyObject* current_stream, const std::array<PyObject*, 5>& tensors) {
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  Packed packed{};
  if (PyTuple_Check(call) == 0 || PyTuple_Size(call) < members) {
    PyErr_Format(PyExc_TypeError, "launch: a call, not %R", call);
    return -1;
  }
  if (PyBytes_AsStringAndSize(PyTuple_GetItem(call, member_packed), &bytes, &size) != 0) return -1;
  if (size != sizeof packed) {
    PyErr_Format(PyExc_TypeError, "launch: a call of %zd bytes", size);
    return -1;
  }
  std::memcpy(&packed, bytes, sizeof packed);

  bitune_operands operands = BITUNE_OPERANDS_INIT;
  const std::array<bitune_operand*, 5> arrays = {&operands.keys_in, &operands.keys_out, &operands.values_in,
                                                 &operands.values_out, &operands.indices_out};
  std::int32_t device_type = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i] == Py_None) continue;
    void* address = nullptr;
    if (!read_data(tensors[i], &address, &device_type)) return -1;
    *arrays[i] = {address, packed.elements, packed.stride};
  }
  // PyTorch hands the workspace out again in the order of the stream: it may go when this returns.
  Owned workspace;
  if (PyObject* const make = PyTuple_GetItem(call, member_new_workspace); make != Py_None) {
    workspace.reset(PyObject_CallObject(make, nullptr));
    if (!workspace) return -1;
    PyObject* const address = PyTuple_GetItem(workspace.get(), 1);
    if (address == nullptr) return -1;
    operands.workspace.data = PyLong_AsVoidPtr(address);
    operands.workspace.elements = PyLong_AsUnsignedLongLong(PyTuple_GetItem(call, member_workspace_bytes));
    if (PyErr_Occurred() != nullptr) return -1;
  }
  void* stream = nullptr;
  if (!read_stream(call, current_stream, device_type, &stream)) return -1;
  bitune_status status = BITUNE_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = packed.run(packed.sorter, &packed.problem, &operands, stream);
  Py_END_ALLOW_THREADS;
  return status;
}

/// Of its functions' arguments, all of which are there.
template <std::size_t count>
bool read(PyObject* arguments, std::array<PyObject*, count>& found) {
  if (PyTuple_Size(arguments) != static_cast<Py_ssize_t>(count)) {
    PyErr_Format(PyExc_TypeError, "%zu arguments", count);
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) found[i] = PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(i));
  return true;
}

/// use(capsule): tensors and streams by what the capsule holds from now on; by Python's objects if it is
/// None.
PyObject* use(PyObject* /*module*/, PyObject* capsule) {
  const Exchange* found = nullptr;
  if (capsule != Py_None) {
    found = static_cast<const Exchange*>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
    if (found == nullptr) return nullptr;
    while (found != nullptr &&
           (found->major != 1 || found->view_of == nullptr || found->current_stream == nullptr)) {
      found = found->before;
    }
  }
  exchange = found;
  return PyBool_FromLong(found != nullptr ? 1 : 0);
}

/// key_of(x, more)
PyObject* key_of(PyObject* /*module*/, PyObject* arguments) {
  std::array<PyObject*, 2> a{};
  View view{};
  return read(arguments, a) ? key_for(a[0], a[1], &view).release() : nullptr;
}

/// find(calls, x, more)
PyObject* find(PyObject* /*module*/, PyObject* arguments) {
  std::array<PyObject*, 3> a{};
  return read(arguments, a) ? call_for(a[0], a[1], a[2]).release() : nullptr;
}

/// launch(call, current_stream, keys, sorted_keys, values, sorted_values, indices)
PyObject* launch(PyObject* /*module*/, PyObject* arguments) {
  std::array<PyObject*, 7> a{};
  if (!read(arguments, a)) return nullptr;
  const int status = launch_call(a[0], a[1], {a[2], a[3], a[4], a[5], a[6]});
  return status < 0 ? nullptr : PyLong_FromLong(status);
}

/// sort(calls, x, more, current_stream)
PyObject* sort(PyObject* /*module*/, PyObject* arguments) {
  std::array<PyObject*, 4> a{};
  if (!read(arguments, a)) return nullptr;
  Owned call = call_for(a[0], a[1], a[2]);
  if (!call || call.get() == Py_None) return call.release();
  PyObject* const make =
      PyTuple_Check(call.get()) != 0 ? PyTuple_GetItem(call.get(), member_new_keys) : nullptr;
  Owned sorted(make != nullptr ? PyObject_CallObject(make, nullptr) : nullptr);
  if (!sorted) return nullptr;
  const int status = launch_call(call.get(), a[3], {a[1], sorted.get(), Py_None, Py_None, Py_None});
  if (status < 0) return nullptr;
  return status == BITUNE_OK ? sorted.release() : PyLong_FromLong(status);
}

}  // namespace

PyMODINIT_FUNC PyInit__short_way() {  // NOLINT(readability-identifier-naming): Python looks for this name
  const std::array<std::pair<PyObject**, const char*>, 7> names = {{{&dtype, "dtype"},
                                                                    {&shape, "shape"},
                                                                    {&device, "device"},
                                                                    {&is_contiguous, "is_contiguous"},
                                                                    {&is_neg, "is_neg"},
                                                                    {&requires_grad, "requires_grad"},
                                                                    {&data_ptr, "data_ptr"}}};
  for (const auto& [name, text] : names) {
    if ((*name = PyUnicode_InternFromString(text)) == nullptr) return nullptr;
  }
  static std::array<PyMethodDef, 6> methods = {{{"use", use, METH_O, nullptr},
                                                {"key_of", key_of, METH_VARARGS, nullptr},
                                                {"find", find, METH_VARARGS, nullptr},
                                                {"launch", launch, METH_VARARGS, nullptr},
                                                {"sort", sort, METH_VARARGS, nullptr},
                                                {nullptr, nullptr, 0, nullptr}}};
  static PyModuleDef module = {
      PyModuleDef_HEAD_INIT, "_short_way", nullptr, -1, methods.data(), nullptr, nullptr, nullptr, nullptr};
  return PyModule_Create(&module);
}
