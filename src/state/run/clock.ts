// When a state began and how long it took, as results show it.
import { float, type Value } from '../../data/mod.ts'

export interface Timing {
  start_time: string
  /** In milliseconds. */
  duration: Value
}

const two = (n: number): string => String(n).padStart(2, '0')

function timeOfDay(milliseconds: number): string {
  const date = new Date(milliseconds)
  const micros = String(Math.trunc((milliseconds % 1000) * 1000)).padStart(6, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${micros}`
}

const milliseconds = (n: number): Value => float(Math.round(n * 1000) / 1000)

/** Starts to count; the answer tells what has passed since. */
export function stopwatch(): () => Timing {
  const start = performance.now()
  const began = performance.timeOrigin + start
  return () => ({ start_time: timeOfDay(began), duration: milliseconds(performance.now() - start) })
}

/** For a state that did not run. */
export const noTime = (): Timing => stopwatch()()
