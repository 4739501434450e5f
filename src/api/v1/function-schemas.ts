// JSON Schema of the arguments and the result of a declared function.
import type { Arg, ArgKind, Args } from '../../sdk/mod.ts'
import { toJson } from './json.ts'

type Schema = { [key: string]: unknown }

/** The JSON schema of each kind of argument. */
const KINDS: Readonly<Record<Exclude<ArgKind, 'rest' | 'open'>, Schema>> = {
  string: { type: 'string' },
  path: { type: 'string' },
  text: { type: ['string', 'number', 'boolean'] },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  flag: { type: 'boolean' },
  isTrue: { type: 'boolean' },
  list: { type: 'array' },
  dict: { type: 'object' },
  words: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  count: { type: ['integer', 'string'] },
  textOrNumber: { type: ['string', 'number'] },
  textOrList: { anyOf: [{ type: 'string' }, { type: 'array' }] },
  textListOrDict: { anyOf: [{ type: 'string' }, { type: 'array' }, { type: 'object' }] },
  any: {},
}

function orNull(schema: Schema): Schema {
  const { type, anyOf } = schema
  if (Array.isArray(type)) return { ...schema, type: [...type, 'null'] }
  if (typeof type === 'string') return { ...schema, type: [type, 'null'] }
  return Array.isArray(anyOf) ? { ...schema, anyOf: [...anyOf, { type: 'null' }] } : schema
}

function schemaOf({ kind, doc, default: usual, deprecated, secret }: Arg<unknown>): Schema {
  const own = kind === 'rest' ? { type: 'array' } : KINDS[kind as keyof typeof KINDS]
  return {
    ...(usual === null ? orNull(own) : own),
    description: doc,
    ...(usual !== undefined && { default: toJson(usual) }),
    ...(deprecated !== undefined && { deprecated: true }),
    ...(secret && { writeOnly: true }),
  }
}

/** Return the schema of the arguments of a function, by name. */
export function argumentSchema(args: Args): Schema {
  const named = Object.entries(args).filter(([, { kind }]) => kind !== 'open')
  const required = named.filter(([, { kind, default: usual }]) => kind !== 'rest' && usual === undefined)
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(([name, arg]) => [name, schemaOf(arg)])),
    required: required.map(([name]) => name),
    additionalProperties: Object.values(args).some(({ kind }) => kind === 'open'),
  }
}

const RESULTS: Readonly<Record<string, Schema>> = {
  boolean: { type: 'boolean' },
  string: { type: 'string' },
  number: { type: 'number' },
  list: { type: 'array' },
  'list of strings': { type: 'array', items: { type: 'string' } },
  'list of dicts': { type: 'array', items: { type: 'object' } },
  dict: { type: 'object' },
  none: { type: 'null' },
  false: { const: false },
}

/** Return the schema of a declared result; a type that is not declared may be anything. */
export function resultSchema(type: string | undefined): Schema {
  const kinds = (type ?? '').split(' or ').map((word) => RESULTS[word])
  if (kinds.some((kind) => kind === undefined)) return {}
  return kinds.length === 1 ? kinds[0]! : { anyOf: kinds as Schema[] }
}

/** The result of every state function. */
export const STATE_RESULT: Schema = {
  type: 'object',
  properties: {
    name: {},
    result: { type: ['boolean', 'null'], description: 'None: a dry run would change something' },
    changes: { type: 'object' },
    comment: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
  required: ['name', 'result', 'changes', 'comment'],
}
