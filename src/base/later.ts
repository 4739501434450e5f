// Values that may be at hand already. What can go on at once does: on paths that thousands take each second, a turn of the
// event loop costs more than the work.

export type Later<T> = T | Promise<T>

/** Goes on with the value, at once when it is there. */
export function after<T, U>(value: Later<T>, next: (value: T) => Later<U>): Later<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
