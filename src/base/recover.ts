// Errors that a caller expects, such as a missing file or a refused request, and the value that stands for them.

type Test = (error: unknown) => boolean

/**
 * Return what `body` returns. Where it fails with an expected error, return `otherwise`; any other error is thrown. A body may
 * return a promise: its rejections count as errors.
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

/** Make a test for errors with one of these codes, such as `ENOENT` of Node. */
export const hasCode =
  (...codes: string[]): Test =>
  (error) =>
    error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Expect any error. */
export const isAnyError = (): boolean => true
