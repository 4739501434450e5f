import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHECKS, CODES } from '../src/doctor/mod.ts'
import { withCodes } from './doctor-codes.ts'

/** Codes of events around the checks. */
const OUTSIDE = ['no-minions', 'minion-away', 'git-unread', 'file-too-slow']

test('the page of the doctor lists all codes', () => {
  const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'doctor.md'), 'utf8')
  expect(page, 'run node --import tsx tools/doctor-codes.ts').toBe(withCodes(page))
})

test('every code belongs to a check', () => {
  const used = new Set([...CHECKS.flatMap(({ codes }) => [...codes]), ...OUTSIDE])
  expect([...used].sort()).toEqual(Object.keys(CODES).sort())
})
