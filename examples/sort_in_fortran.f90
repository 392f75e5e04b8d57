! Finds where the sorted keys of a Fortran array come from, in descending order. Without a GPU it sorts on the emulated device.
program sort_in_fortran
  use bitune
  implicit none

  integer(c_int64_t), parameter :: n = 5000
  real(c_double), target :: keys(n)
  integer(c_int32_t), target :: indices(n)
  type(bitune_problem) :: problem
  type(bitune_operands) :: operands
  type(c_ptr) :: sorter
  integer(c_int64_t) :: i

  keys = [(real(mod(i * 7919, n), c_double) / 10, i = 1, n)]

  problem%operation = bitune_argsort
  problem%key = bitune_key_f64
  problem%index_bytes = 4
  problem%order = bitune_descending
  problem%stable = 1
  problem%n = n
  operands%keys_in = bitune_operand(c_loc(keys), n, 0)
  operands%indices_out = bitune_operand(c_loc(indices), n, 0)

  call check(bitune_sorter_create(c_null_ptr, sorter))
  call check(bitune_run_host(sorter, problem, operands, c_null_ptr))
  call bitune_sorter_destroy(sorter)

  indices = indices + 1  ! bitune counts from 0
  print '(a, f0.1, a, i0)', 'the highest key is ', keys(indices(1)), ', of element ', indices(1)
  if (any(keys(indices(2:)) > keys(indices(:n - 1)))) error stop 'not sorted'
end program
