import { expect, it } from 'vitest'
import { Silence } from './silence.ts'

/** Look every quarter of a second; return after how many milliseconds the master counts as lost. */
function lostAfter(silence: Silence, step = 250): number {
  silence.begin(0)
  for (let now = step; ; now += step) if (silence.goesOn(now)) return now
}

it('A quick master is lost after two fifths of the interval without an answer, and not before two seconds', () => {
  const silence = new Silence(5000)
  for (const ms of [3, 40, 200]) {
    silence.begin(1000)
    silence.end(1000 + ms)
  }
  expect(lostAfter(silence)).toBe(2000)
  expect(lostAfter(new Silence(30_000))).toBe(12_000)
  expect(lostAfter(new Silence(1000))).toBe(2000)
})

it('A slow master has more time, up to a limit, until it is quick again', () => {
  const silence = new Silence(5000)
  const answer = (ms: number): void => {
    silence.begin(0)
    for (let now = 100; now < ms; now += 100) expect(silence.goesOn(now)).toBe(false)
    silence.end(ms)
  }
  answer(800)
  expect(lostAfter(silence)).toBe(3250)
  answer(1900)
  expect(lostAfter(silence)).toBe(5000)
  for (let times = 0; times < 20; times++) answer(10)
  expect(lostAfter(silence)).toBe(2000)
})

it('Time in which this process did not run counts little', () => {
  expect(lostAfter(new Silence(5000), 10_000)).toBe(40_000)
})

it('A master that answers neither questions nor heartbeats is lost after a quarter of the interval, and not before a second', () => {
  const muteFor = (silence: Silence, mute: number): number => {
    silence.begin(0, mute)
    for (let now = 250; ; now += 250) if (silence.goesOn(now, true)) return now
  }
  expect(muteFor(new Silence(5000), 0)).toBe(1250)
  expect(muteFor(new Silence(5000), 400)).toBe(1000)
  expect(muteFor(new Silence(30_000), 0)).toBe(7500)
  expect(muteFor(new Silence(1000), 0)).toBe(1000)
})

it('Each answered heartbeat restarts the shorter time limit', () => {
  const silence = new Silence(5000)
  silence.begin(0, 400)
  for (let now = 250; now < 2000; now += 250) expect(silence.goesOn(now, now !== 500)).toBe(now > 1500)
})
