// Values that are ready now or later. On paths that run thousands of times a second, a turn of the event loop costs
// more than the work, so code continues at once when the value is ready.

export type Later<T> = T | Promise<T>

/** Call `next` with the value: at once if it is ready, else when the promise resolves. */
export function after<T, U>(value: Later<T>, next: (value: T) => Later<U>): Later<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
