// When a state began and how long it took, as results show it.
import { float, type Value } from '../../data/mod.ts'

export interface Timing {
  start_time: string
  /** In milliseconds. */
  duration: Value
}

const two = (n: number): string => String(n).padStart(2, '0')

/** The last formatted second: most states begin in the same second as the previous one. */
let told = { second: -1, text: '' }

function timeOfDay(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000)
  if (second !== told.second) {
    const date = new Date(milliseconds)
    told = { second, text: `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}` }
  }
  const micros = Math.trunc((milliseconds - second * 1000) * 1000)
  return `${told.text}.${String(micros).padStart(6, '0')}`
}

const milliseconds = (n: number): Value => float(Math.round(n * 1000) / 1000)

/** Start a timer; the returned function returns the elapsed time. */
export function stopwatch(): () => Timing {
  const start = performance.now()
  const began = performance.timeOrigin + start
  return () => ({ start_time: timeOfDay(began), duration: milliseconds(performance.now() - start) })
}

/** For a state that did not run. */
export const noTime = (): Timing => stopwatch()()
