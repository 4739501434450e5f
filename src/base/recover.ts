// Errors that a caller expects, such as a missing file or a refused request, and the value to return in their place.

type Test = (error: unknown) => boolean

/**
 * Return the result of `body`. If it fails with an expected error, return `otherwise`; throw any other error. A
 * rejected promise counts as an error.
 */
export function recover<T, F>(isExpected: Test, otherwise: F, body: () => Promise<T>): Promise<T | F>
export function recover<T, F>(isExpected: Test, otherwise: F, body: () => T): T | F
export function recover(isExpected: Test, otherwise: unknown, body: () => unknown): unknown {
  const caught = (error: unknown): unknown => {
    if (isExpected(error)) return otherwise
    throw error
  }
  try {
    const value = body()
    return value instanceof Promise ? value.catch(caught) : value
  } catch (error) {
    return caught(error)
  }
}

/** Make a test for errors of a class. */
export const isA =
  (kind: abstract new (...args: never[]) => Error): Test =>
  (error) =>
    error instanceof kind

/** Return a test for errors with one of these codes, such as Node's `ENOENT`. */
export const hasCode =
  (...codes: string[]): Test =>
  (error) =>
    error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Expect any error. */
export const isAnyError = (): boolean => true
