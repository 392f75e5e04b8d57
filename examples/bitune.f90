! What a program in Fortran needs of bitune/bitune.h: the structs and functions that example sort_in_fortran calls. The others are
! declared likewise.
module bitune
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int32_t), parameter :: bitune_sort = 0, bitune_sort_pairs = 1, bitune_argsort = 2
  integer(c_int32_t), parameter :: bitune_key_i32 = 7, bitune_key_f32 = 8, bitune_key_i64 = 10, bitune_key_f64 = 11
  integer(c_int32_t), parameter :: bitune_ascending = 0, bitune_descending = 1

  ! The sizes are what BITUNE_PROBLEM_INIT and BITUNE_OPERANDS_INIT write.
  type, bind(c) :: bitune_problem
    integer(c_size_t) :: size = 64
    integer(c_int32_t) :: operation = bitune_sort
    integer(c_int32_t) :: key = bitune_key_f64
    integer(c_int32_t) :: value_bytes = 0
    integer(c_int32_t) :: index_bytes = 0
    integer(c_int32_t) :: order = bitune_ascending
    integer(c_int32_t) :: stable = 0
    integer(c_int64_t) :: k = 0
    integer(c_int64_t) :: n = 0
    integer(c_int64_t) :: rows = 1
    integer(c_int32_t) :: ragged = 0
    integer(c_int32_t) :: reserved = 0
  end type

  type, bind(c) :: bitune_operand
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: elements = 0
    integer(c_int64_t) :: stride = 0
  end type

  type, bind(c) :: bitune_operands
    integer(c_size_t) :: size = 200
    type(bitune_operand) :: keys_in, keys_out, values_in, values_out, indices_out, offsets, lengths, workspace
  end type

  interface
    integer(c_int32_t) function bitune_sorter_create(options, sorter) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: options
      type(c_ptr) :: sorter
    end function

    subroutine bitune_sorter_destroy(sorter) bind(c)
      import :: c_ptr
      type(c_ptr), value :: sorter
    end subroutine

    integer(c_int32_t) function bitune_run_host(sorter, problem, operands, times) bind(c)
      import :: c_int32_t, c_ptr, bitune_problem, bitune_operands
      type(c_ptr), value :: sorter
      type(bitune_problem), intent(in) :: problem
      type(bitune_operands), intent(in) :: operands
      type(c_ptr), value :: times
    end function

    type(c_ptr) function bitune_last_error() bind(c)
      import :: c_ptr
    end function

    integer(c_size_t) function strlen(text) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! Ends the program with the sentence that the library has for its error.
  subroutine check(status)
    integer(c_int32_t), intent(in) :: status
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: sentence
    if (status == 0) return
    sentence = bitune_last_error()
    call c_f_pointer(sentence, letters, [strlen(sentence)])
    print '(*(a))', letters
    error stop 1
  end subroutine
end module
