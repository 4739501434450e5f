// Errors that a caller expects: a file that is missing, a request that is refused. All other errors go on.

type Expected<E> = (error: unknown) => error is E

/**
 * Return what `body` returns, or what `otherwise` returns for an error that is expected. Any other error is thrown.
 * A body may return a promise; its rejections count as errors.
 */
export function recover<T, E, F>(
  body: () => Promise<T>,
  isExpected: Expected<E>,
  otherwise: (error: E) => F | Promise<F>,
): Promise<T | F>
export function recover<T, F>(
  body: () => Promise<T>,
  isExpected: (error: unknown) => boolean,
  otherwise: (error: unknown) => F | Promise<F>,
): Promise<T | F>
export function recover<T, E, F>(body: () => T, isExpected: Expected<E>, otherwise: (error: E) => F): T | F
export function recover<T, F>(
  body: () => T,
  isExpected: (error: unknown) => boolean,
  otherwise: (error: unknown) => F,
): T | F
export function recover(
  body: () => unknown,
  isExpected: (error: unknown) => boolean,
  otherwise: (error: unknown) => unknown,
): unknown {
  const caught = (error: unknown): unknown => {
    if (isExpected(error)) return otherwise(error)
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
  <E>(kind: abstract new (...args: never[]) => E): Expected<E> =>
  (error): error is E =>
    error instanceof kind

/** Make a test for errors of Node with one of these codes, such as `ENOENT`. */
export const hasCode =
  (...codes: string[]): Expected<NodeJS.ErrnoException> =>
  (error): error is NodeJS.ErrnoException =>
    error instanceof Error && 'code' in error && codes.includes(String(error.code))
