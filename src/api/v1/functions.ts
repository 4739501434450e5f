// The existing functions, with typed descriptions from their declarations: `/v1/functions`. A module is imported when
// one of its functions is requested.
import { createRoute, z } from '@hono/zod-openapi'
import { FileServer } from '../../fileserver/mod.ts'
import { moduleTable, stateTable } from '../../loader/mod.ts'
import { ownBackends } from '../../pybridge/mod.ts'
import type { FunctionDescription } from '../../sdk/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { argumentSchema, resultSchema, STATE_RESULT } from './function-schemas.ts'
import { toJson } from './json.ts'
import { OwnFunctions } from './own-functions.ts'
import { refusals } from './problems.ts'
import { Any, answer, cursorOf, FunctionName, line, pageOf, paging, placeShape } from './shapes.ts'
import { slices } from './slices.ts'

const FAMILIES = ['execution', 'state', 'runner', 'wheel'] as const

const Family = z.enum(FAMILIES)

type Family = z.infer<typeof Family>

const Name = z
  .object({
    family: Family,
    name: z.string(),
    doc: z.string().optional().openapi({ description: 'The first sentence of the documentation, with `docs=true`' }),
  })
  .openapi('FunctionName')

const Schema = z.record(z.string(), Any)

const Description = z
  .object({
    family: Family,
    name: z.string(),
    module: z
      .string()
      .nullable()
      .openapi({ description: 'The module that declares it: minions choose among several of one name' }),
    doc: z.string(),
    changes: z
      .boolean()
      .nullable()
      .openapi({ description: 'Whether a call may change the machine; null where not declared' }),
    arguments: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        doc: z.string(),
        required: z.boolean(),
        default: Any.optional(),
        secret: z.boolean(),
      }),
    ),
    argumentsSchema: Schema.openapi({ description: 'JSON Schema of the arguments by name' }),
    resultSchema: Schema.openapi({ description: 'JSON Schema of what the function returns' }),
    result: z.string().nullable().openapi({ description: 'What the function returns' }),
    examples: z.array(z.string()),
  })
  .openapi('FunctionDescription')

const tags = ['Functions']

const list = createRoute({
  method: 'get',
  path: '/v1/functions',
  operationId: 'listFunctions',
  summary: 'List the functions of minions and of the master',
  description:
    'Every caller with a session may read it. Functions of minions are those of Brine; what a minion has besides, `sys.list_functions` tells. For callers that may call the runner function `fileserver.file_list`, the list also has the functions of `_modules` in the environment `base`.',
  tags,
  request: {
    query: z.strictObject({
      family: Family.optional(),
      q: line(200).optional().openapi({ description: 'A part of the name' }),
      docs: z.enum(['true', 'false']).optional().openapi({ description: 'Whether items have the field `doc`' }),
      ...paging,
    }),
  },
  responses: { 200: answer(pageOf(Name).openapi('FunctionList'), 'A page of functions'), ...refusals(400, 401) },
})

const one = createRoute({
  method: 'get',
  path: '/v1/functions/{name}',
  operationId: 'getFunction',
  summary: 'Describe a function: documentation, arguments and result',
  description: 'One entry for each module that declares the function, in each family.',
  tags,
  request: { params: z.object({ name: FunctionName }), query: z.strictObject({ family: Family.optional() }) },
  responses: { 200: answer(z.array(Description), 'The descriptions'), ...refusals(400, 401, 404) },
})

interface Declared {
  module: string | null
  declaration: FunctionDescription & { effect?: string }
}

type Entry = {
  functions: readonly string[]
  load(): Promise<{ default: { name: string; functions: Readonly<Record<string, FunctionDescription>> } }>
}
type Table = Readonly<Record<string, readonly Entry[]>>

const TABLES: Readonly<Partial<Record<Family, Table>>> = { execution: moduleTable, state: stateTable }

function* tableNames(table: Table): Generator<string> {
  for (const [module, entries] of Object.entries(table)) {
    for (const fun of new Set(entries.flatMap(({ functions }) => functions))) yield `${module}.${fun}`
  }
}

/** The declarations of a function in a table; several modules may have one name. */
async function inTable(table: Table, name: string): Promise<Declared[]> {
  const [module = '', fun = ''] = name.split('.')
  const found: Declared[] = []
  for (const entry of Object.hasOwn(table, module) ? table[module]! : []) {
    if (!entry.functions.includes(fun)) continue
    const { default: declared } = await entry.load()
    const declaration = Object.hasOwn(declared.functions, fun) ? declared.functions[fun] : undefined
    if (declaration) found.push({ module: declared.name, declaration })
  }
  return found
}

function described(family: Family, name: string, { module, declaration }: Declared): z.infer<typeof Description> {
  const { doc, args, returns, examples, effect } = declaration
  return {
    family,
    name,
    module,
    doc,
    changes: effect === undefined ? null : effect === 'change',
    arguments: Object.entries(args).map(([argument, { kind, doc: meaning, default: usual, secret }]) => ({
      name: argument,
      kind,
      doc: meaning,
      required: usual === undefined && kind !== 'rest' && kind !== 'open',
      ...(usual !== undefined && { default: toJson(usual) }),
      secret: secret === true,
    })),
    argumentsSchema: argumentSchema(args),
    resultSchema: family === 'state' ? STATE_RESULT : resultSchema(returns?.type),
    result: returns?.doc ?? null,
    examples: [...(examples ?? [])],
  }
}

type Named = { family: Family; name: string }

/** Add the first sentence of the documentation to functions. Their modules are imported one after the other. */
async function withDocs(
  page: readonly Named[],
  docOf: (family: Family, name: string) => Promise<string>,
): Promise<Array<Named & { doc: string }>> {
  const turn = slices()
  const items = []
  for (const { family, name } of page) {
    items.push({ family, name, doc: firstSentence(await docOf(family, name)) })
    await turn()
  }
  return items
}

/** Return the text up to the first full stop before a space, or the first empty line. */
const firstSentence = (doc: string): string =>
  (/^[\s\S]*?(?:\.(?=\s)|(?=\n\s*\n)|$)/.exec(doc.trim())?.[0] ?? '').replace(/\s+/g, ' ')

export function addFunctionRoutes(site: V1App, service: ApiService): void {
  const { functions } = service.master.access
  const names = (family: Family): Iterable<string> => {
    const table = TABLES[family]
    return table ? tableNames(table) : functions.of(family as 'runner' | 'wheel').names()
  }
  const find = async (family: Family, name: string): Promise<Declared[]> => {
    const table = TABLES[family]
    if (table) return inTable(table, name)
    const registry = functions.of(family as 'runner' | 'wheel')
    return registry.has(name) ? [{ module: null, declaration: await registry.find(name) }] : []
  }
  const { opts, host, log } = service.master.access
  const own = new OwnFunctions(new FileServer(opts, host, log, ownBackends), host)
  site.openapi(list, async (c) => {
    const { family, q, docs, limit, cursor } = c.req.valid('query')
    const [afterFamily = '', afterName = ''] = placeShape(cursor, 2) ?? []
    const wanted = FAMILIES.filter(
      (each) =>
        (family === undefined || each === family) && FAMILIES.indexOf(each) >= FAMILIES.indexOf(afterFamily as Family),
    )
    const mayList = wanted.includes('execution') && (await c.var.call.may('runner', 'fileserver.file_list'))
    const ownDocs = new Map((mayList ? await own.of('base') : []).map(({ name, doc }) => [name, doc]))
    const found = wanted.flatMap((each) =>
      [...new Set([...names(each), ...(each === 'execution' ? ownDocs.keys() : [])])]
        .filter((name) => (each !== afterFamily || name > afterName) && (q === undefined || name.includes(q)))
        .sort()
        .map((name) => ({ family: each, name })),
    )
    const page = found.slice(0, limit)
    const docOf = async (each: Family, name: string): Promise<string> =>
      (each === 'execution' ? ownDocs.get(name) : undefined) ?? (await find(each, name))[0]?.declaration.doc ?? ''
    const items = docs === 'true' ? await withDocs(page, docOf) : page
    const last = page.at(-1)
    return c.json({ items, next: found.length > limit && last ? cursorOf([last.family, last.name]) : null }, 200)
  })
  site.openapi(one, async (c) => {
    const { name } = c.req.valid('param')
    const { family } = c.req.valid('query')
    const found: z.infer<typeof Description>[] = []
    for (const each of FAMILIES) {
      if (family !== undefined && each !== family) continue
      for (const declared of await find(each, name)) found.push(described(each, name, declared))
    }
    if (found.length === 0) throw new HttpError(404, 'There is no such function')
    return c.json(found, 200)
  })
}
