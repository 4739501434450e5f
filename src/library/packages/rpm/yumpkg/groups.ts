// Package groups of yum and dnf.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, dictFrom, failure, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type Options, splitMembers } from '../../common/functions.ts'
import { listInstalled } from './listing.ts'
import { optionWords, programOf } from './program.ts'

const TYPES = ['mandatory', 'optional', 'default', 'conditional'] as const
type PackageType = (typeof TYPES)[number]

const SECTIONS: Readonly<Record<string, string>> = lookup({
  'installed groups:': 'installed',
  'available groups:': 'available',
  'installed environment groups:': 'installed environments',
  'available environment groups:': 'available environments',
  'available language groups:': 'available languages',
})

async function lines(ctx: FunctionContext, words: readonly string[]): Promise<string[]> {
  const options = { output_loglevel: 'trace', python_shell: false }
  return (await ctx.call('cmd.run_stdout', [[await programOf(ctx), ...words]], options)).split('\n')
}

export async function groupList(ctx: FunctionContext): Promise<Dict> {
  const found = new Map<string, Value>(Object.values(SECTIONS).map((section) => [section, []]))
  const languages: Dict = new Map()
  found.set('available languages', languages)
  let section: string | undefined
  for (const line of await lines(ctx, ['grouplist', 'hidden'])) {
    const small = line.toLowerCase()
    if (small === 'done') break
    const heading = SECTIONS[small]
    if (heading !== undefined && heading !== section) {
      section = heading
      continue
    }
    if (section === undefined || line.trim() === '') continue
    const name = line.trim()
    if (section !== 'available languages') (found.get(section) as Value[]).push(name)
    else {
      const match = /^(.+) \[(.+)\]/.exec(name)
      if (match) languages.set(name, dictFrom({ name: match[1]!, language: match[2]! }))
    }
  }
  return new Map(found)
}

export interface Group {
  type: string
  group: string
  id: string | null
  description: string
  members: Record<PackageType, Set<string>>
}

export async function groupInfo(
  ctx: FunctionContext,
  name: string,
  expand: boolean,
  done: string[],
  kwargs: Options,
): Promise<Group> {
  const choices = new Map([...kwargs].filter(([key]) => ['fromrepo', 'enablerepo', 'disablerepo'].includes(key)))
  const output = await lines(ctx, ['--quiet', ...optionWords(choices), 'groupinfo', name])
  const facts = new Map<string, string>()
  for (const line of output) {
    const parts = line.split(':')
    if (parts.length === 2) facts.set(parts[0]!.trim().toLowerCase(), parts[1]!.trim())
  }
  const fact = (first: string, second: string): string => facts.get(first) || facts.get(second) || ''
  const group: Group = {
    type: facts.has('environment group') ? 'environment group' : 'package group',
    group: fact('environment group', 'group'),
    id: fact('environment-id', 'group-id') || null,
    description: facts.get('description') ?? '',
    members: { mandatory: new Set(), optional: new Set(), default: new Set(), conditional: new Set() },
  }
  if (group.group === '' && group.id === null) throw failure(`Group '${name}' not found`)
  for (const type of TYPES) await gather(ctx, output, group, type, expand, done)
  return group
}

/** Collect the members of one type; with `expand`, replace the groups of an environment by their packages. */
async function gather(
  ctx: FunctionContext,
  output: readonly string[],
  { type: kind, members }: Group,
  type: PackageType,
  expand: boolean,
  done: string[],
): Promise<void> {
  let inside = false
  for (const raw of output) {
    const line = raw.trim().replace(/^[!-/:-@[-`{-~]+/, '')
    const heading = /^(mandatory|optional|default|conditional) (?:groups|packages):\s*$/.exec(line.toLowerCase())?.[1]
    if (heading !== undefined) {
      if (inside) break
      inside = heading === type
      continue
    }
    if (!inside || line === '') continue
    if (!expand || kind !== 'environment group') {
      members[type].add(line)
      continue
    }
    if (done.includes(line)) continue
    done.push(line)
    const inner = await expanded(ctx, line, done)
    for (const one of TYPES) for (const name of inner.members[one]) members[one].add(name)
  }
}

async function expanded(ctx: FunctionContext, name: string, done: string[]): Promise<Group> {
  try {
    return await groupInfo(ctx, `@${name}`, true, done, new Map())
  } catch (error) {
    if (error instanceof Error && error.message.endsWith('not found'))
      return groupInfo(ctx, name, true, done, new Map())
    throw error
  }
}

export function groupDict({ members, type, group, id, description }: Group): Dict {
  const lists = TYPES.map((one) => [one, [...members[one]].sort()] as const)
  return dictFrom({ ...Object.fromEntries(lists), type, group, id, description })
}

/** Split the members of a group into installed and missing packages, by type. */
export async function groupDiff(ctx: FunctionContext, name: string, kwargs: Options): Promise<Dict> {
  const installed = await listInstalled(ctx)
  const { members } = await groupInfo(ctx, name, true, [], kwargs)
  return splitMembers(new Map(TYPES.map((type) => [type, [...members[type]].sort()])), installed)
}

function wordList(value: Value, what: string): string[] {
  if (typeof value === 'string') return value.split(',')
  if (Array.isArray(value)) return value.map(str)
  throw misuse(`'${what}' must be a list`)
}

/** Return the packages of groups that are not installed. */
export async function missingMembers(
  ctx: FunctionContext,
  name: Value,
  skip: Value,
  include: Value,
): Promise<string[]> {
  if (!truthy(name)) throw misuse('no groups specified')
  const skipped = wordList(skip, 'skip')
  const wanted: string[] = []
  for (const group of wordList(name, 'groups')) {
    const { members } = await groupInfo(ctx, group, false, [], new Map())
    wanted.push(
      ...[...members.mandatory].sort(),
      ...[...members.default].sort().filter((one) => !skipped.includes(one)),
    )
  }
  const installed = await listInstalled(ctx)
  const all = new Set([...wanted, ...wordList(include, 'include')])
  return [...all].filter((one) => one !== '' && !installed.has(one))
}
