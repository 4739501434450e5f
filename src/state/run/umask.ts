// Runs a call with another umask, which is always restored.
import { numberOf, type Value } from '../../data/mod.ts'

export async function underUmask<T>(umask: Value, call: () => T | Promise<T>): Promise<T> {
  const wanted = umask === null ? undefined : numberOf(umask)
  if (wanted === undefined) return call()
  const before = process.umask(wanted)
  try {
    return await call()
  } finally {
    process.umask(before)
  }
}
