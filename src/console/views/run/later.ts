// Values that wait until a person stops typing.
import { useEffect, useState } from 'preact/hooks'

/** Return a value as it was when it last rested for a while, so that typing does not ask the server at each key. */
export function useRested<T>(value: T, ms = 250): T {
  const [rested, rest] = useState(value)
  const key = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => rest(value), ms)
    return () => clearTimeout(timer)
  }, [key])
  return rested
}
