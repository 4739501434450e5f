// Options and sections of INI files.
import { type Dict, iterate, PyError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, isHostError, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { entriesOf, optionsPresent } from './state/options-present.ts'

interface Place {
  name: string
  separator: string
  encoding: Value
}

interface Wish extends Place {
  sections: Value
}

/** A failure to read or write is a result, not an exception. */
const guarded =
  <W extends Place>(run: (ctx: StateContext, wish: W) => Promise<StateReturn>) =>
  async (ctx: StateContext, wish: W): Promise<StateReturn> => {
    try {
      return await run(ctx, wish)
    } catch (error) {
      if (!isHostError(error)) throw error
      return { name: wish.name, changes: {}, result: false, comment: error.message }
    }
  }

const where = ({ name, separator, encoding }: Place): Record<string, Value> => ({
  file_name: name,
  separator,
  encoding,
})

function foreseen(name: string, lines: readonly string[], changes: boolean): StateReturn {
  const comment = lines.join('') || 'No changes detected.'
  return { name, changes: {}, result: changes ? null : true, comment }
}

async function wouldRemoveOptions(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const lines: string[] = []
  let changes = false
  for (const [section, keys] of entriesOf(wish.sections)) {
    const suffix = truthy(section) ? ` in section ${str(section)}` : ''
    if (Array.isArray(keys)) {
      const held = await ctx.call('ini.get_section', [], { ...where(wish), section })
      for (const key of keys as Value[]) {
        const there = truthy(held.get(key) ?? null)
        lines.push(there ? `Deleted key ${str(key)}${suffix}.\n` : `Key ${str(key)}${suffix} does not exist.\n`)
        changes ||= there
      }
      continue
    }
    const there = truthy(await ctx.call('ini.get_option', [], { ...where(wish), section: null, option: section }))
    lines.push(there ? `Deleted key ${str(section)}.\n` : `Key ${str(section)} does not exist.\n`)
    changes ||= there
  }
  return foreseen(wish.name, lines, changes)
}

async function optionsAbsent(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  if (ctx.test) return wouldRemoveOptions(ctx, wish)
  const changes: Dict = new Map()
  for (const [section, keys] of entriesOf(wish.sections)) {
    if (keys === null) throw new PyError('TypeError', "'NoneType' object is not iterable")
    for (const key of iterate(keys)) {
      const value = await ctx.call('ini.remove_option', [], { ...where(wish), section, option: key })
      if (!truthy(value)) continue
      if (Array.isArray(keys)) changes.set(section, ((changes.get(section) ?? new Map()) as Dict).set(key, value))
      else changes.set(section, value)
    }
  }
  return { name: wish.name, changes, result: true, comment: outcome(changes) }
}

const outcome = (changes: Dict): string => (changes.size > 0 ? 'Changes take effect' : 'No anomaly detected')

async function sectionsPresent(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const wanted = truthy(wish.sections) ? [...iterate(wish.sections)] : []
  if (!ctx.test) {
    // Salt passes a keyword that its own function does not know, so this state never does anything
    const section = new Map<Value, Value>(wanted.map((name) => [name, new Map()]))
    const changes = await ctx.call('ini.set_option', [], { ...where(wish), section })
    return { name: wish.name, changes, result: true, comment: 'Changes take effect' }
  }
  const held = await ctx.call('ini.get_ini', [], where(wish))
  const missing = wanted.filter((name) => !held.has(name))
  const lines = wanted.map((name) =>
    held.has(name) ? `Section unchanged ${str(name)}.\n` : `Created new section ${str(name)}.\n`,
  )
  return foreseen(wish.name, lines, missing.length > 0)
}

async function sectionsAbsent(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const unwanted = truthy(wish.sections) ? [...iterate(wish.sections)] : []
  if (ctx.test) {
    const held = await ctx.call('ini.get_ini', [], where(wish))
    const lines = unwanted.map((name) =>
      held.has(name) ? `Deleted section ${str(name)}.\n` : `Section ${str(name)} does not exist.\n`,
    )
    return foreseen(
      wish.name,
      lines,
      unwanted.some((name) => held.has(name)),
    )
  }
  const changes: Dict = new Map()
  for (const section of unwanted) {
    const held = await ctx.call('ini.remove_section', [], { ...where(wish), section })
    if (truthy(held)) changes.set(section, held)
  }
  return { name: wish.name, changes, result: true, comment: outcome(changes) }
}

const name = arg.string('The path of the file')
const separator = arg.string('What is between an option and its value', { default: '=' })
const encoding = arg.any('How the file is encoded', { optional: true })
const sections = (doc: string) => arg.any(doc, { optional: true })

export default defineState({
  name: 'ini_manage',
  virtual: 'ini',
  doc: 'Keep options and sections of INI files.',
  functions: {
    options_present: state({
      doc: 'Options have their values.',
      args: {
        name,
        sections: sections('Options by section; options outside of sections by themselves'),
        separator,
        strict: arg.boolean('Remove options and sections that are not named', { default: false }),
        encoding,
        no_spaces: arg.boolean('Write the separator without spaces', { default: false }),
      },
      run: guarded(optionsPresent),
    }),
    options_absent: state({
      doc: 'Options are not there.',
      args: { name, sections: sections('Lists of options by section'), separator, encoding },
      run: guarded(optionsAbsent),
    }),
    sections_present: state({
      doc: 'Sections are there.',
      args: { name, sections: sections('Their names'), separator, encoding },
      run: guarded(sectionsPresent),
    }),
    sections_absent: state({
      doc: 'Sections are not there.',
      args: { name, sections: sections('Their names'), separator, encoding },
      run: guarded(sectionsAbsent),
    }),
  },
})
