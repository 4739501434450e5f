import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defineModule, type FunctionDeclaration, type Returns, reads, ret } from '../src/sdk/mod.ts'
import { callsFile, callsText, returnTypes } from './calls.ts'

const root = join(import.meta.dirname, '..')

test('the type of calls is what the tool would write', async () => {
  expect(readFileSync(callsFile(root), 'utf8')).toBe(await callsText(root))
})

describe('the types of functions', () => {
  const returning = (returns?: Returns): FunctionDeclaration =>
    reads({ doc: 'Answer.', example: 'shop.answer', args: {}, run: () => null, ...(returns && { returns }) })
  const provider = (name: string, answer: FunctionDeclaration) =>
    defineModule({ name, virtual: 'shop', doc: 'A shop.', functions: { answer } })
  const typeOf = (...answers: FunctionDeclaration[]): string | undefined =>
    returnTypes(answers.map((answer, at) => provider(`shop${at}`, answer))).get('shop.answer')

  test('are those that are declared', () => {
    expect(typeOf(returning(ret.texts('Names')))).toBe('string[]')
    expect(typeOf(returning(ret.optional(ret.dict('Facts'))))).toBe('Dict | null')
    expect(typeOf(returning(ret.orFalse(ret.string('A path'))))).toBe('false | string')
  })

  test('are the union of what the providers of a name declare', () => {
    expect(typeOf(returning(ret.dict('Facts')), returning(ret.dict('Facts')))).toBe('Dict')
    expect(typeOf(returning(ret.dict('Facts')), returning(ret.boolean('Whether')))).toBe('boolean | Dict')
  })

  test('are left out where a provider declares none', () => {
    expect(typeOf(returning(ret.dict('Facts')), returning())).toBeUndefined()
    expect(typeOf(returning(ret.dict('Facts')), returning(ret.any('Anything')))).toBeUndefined()
  })

  test('are known words only', () => {
    expect(() => typeOf(returning({ type: 'tree', doc: 'A tree' }))).toThrow("'tree' is no type of a return")
  })
})
