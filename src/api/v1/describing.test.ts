import { describe, expect, it } from 'vitest'
import { type Dict, float, type Value } from '../../data/mod.ts'
import { arg, ret } from '../../sdk/mod.ts'
import { argumentSchema, resultSchema } from './function-schemas.ts'
import { toJson } from './json.ts'
import { manualPage } from './manual.ts'

describe('the schema of a function', () => {
  it('has the types, defaults and needs of its arguments', () => {
    const schema = argumentSchema({
      name: arg.text('A name'),
      count: arg.integer('A count', { default: 3 }),
      owner: arg.string('An owner', { optional: true }),
      token: arg.string('A token', { secret: true }),
      words: arg.words('Words', { optional: true }),
      more: arg.rest('More'),
    })
    expect(schema).toEqual({
      type: 'object',
      properties: {
        name: { type: ['string', 'number', 'boolean'], description: 'A name' },
        count: { type: 'integer', description: 'A count', default: 3 },
        owner: { type: ['string', 'null'], description: 'An owner', default: null },
        token: { type: 'string', description: 'A token', writeOnly: true },
        words: {
          anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
          description: 'Words',
          default: null,
        },
        more: { type: 'array', description: 'More' },
      },
      required: ['name', 'token'],
      additionalProperties: false,
    })
    expect(argumentSchema({ kwargs: arg.open('Others') })).toMatchObject({ properties: {}, additionalProperties: true })
  })

  it('has the types of its result', () => {
    expect(resultSchema(ret.texts('').type)).toEqual({ type: 'array', items: { type: 'string' } })
    expect(resultSchema(ret.orFalse(ret.dict('')).type)).toEqual({ anyOf: [{ type: 'object' }, { const: false }] })
    expect(resultSchema(ret.any('').type)).toEqual({})
    expect(resultSchema(undefined)).toEqual({})
  })
})

it('values become JSON that every program reads', () => {
  const value: Dict = new Map<Value, Value>([
    ['float', float(1)],
    ['nan', Number.NaN],
    ['long', 2n ** 70n],
    ['bytes', Buffer.from('text')],
    [7, [null, true]],
    ['__proto__', 'a key'],
  ])
  expect(JSON.stringify(toJson(value))).toBe(
    `{"7":[null,true],"float":1,"nan":null,"long":"${2n ** 70n}","bytes":"text","__proto__":"a key"}`,
  )
})

it('the manual shows texts of the document as texts', () => {
  const evil = '<img src=x onerror=alert(1)>'
  const page = manualPage(
    {
      info: { title: evil, version: evil, description: evil },
      tags: [{ name: evil, description: evil }],
      paths: {
        [`/${evil}`]: {
          get: { operationId: evil, summary: evil, tags: [evil], responses: { 200: { description: evil } } },
        },
      },
      components: {
        schemas: { [evil]: { type: 'object', properties: { [evil]: { type: evil, description: evil } } } },
      },
    },
    evil,
  )
  expect(page).not.toContain('<img')
})
