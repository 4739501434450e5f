// Work on many items, a bounded number at a time; results are yielded as they are ready.

/** Items are distinguished by identity. */
export async function* inPool<T, R>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running = new Map<T, Promise<[T, R]>>()
  const waiting = [...items]
  while (waiting.length > 0 || running.size > 0) {
    while (waiting.length > 0 && running.size < Math.max(1, size)) {
      const item = waiting.shift()!
      running.set(
        item,
        work(item).then((result) => [item, result]),
      )
    }
    const [item, result] = await Promise.race(running.values())
    running.delete(item)
    yield result
  }
}
