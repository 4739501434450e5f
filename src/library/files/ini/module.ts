// Files of sections and options (INI).
import { toError } from '../../../base/mod.ts'
import { decodeBytes, encodeText, SaltError, splitLines, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  type Result,
  type Returns,
  reads,
  ret,
  option as setting,
} from '../../../sdk/mod.ts'
import { readIni, Section, writeIni } from './module/section.ts'

interface Place {
  file_name: string
  separator: string
  encoding: Value
  no_spaces?: boolean
}

const encodingOf = (place: Place): string => textOf(place.encoding) ?? 'utf-8'

async function load(ctx: FunctionContext, place: Place): Promise<Section> {
  const form = { separator: place.separator, noSpaces: place.no_spaces ?? false }
  return readIni(place.file_name, await content(ctx, place), form)
}

/** A missing file is an empty one; in a dry run so is one that cannot be read. */
async function content(ctx: FunctionContext, place: Place): Promise<string> {
  const { file_name: path } = place
  if ((await ctx.host.stat(path)) === undefined) return ''
  try {
    return splitLines(decodeBytes(await ctx.host.read(path), encodingOf(place))).join('\n')
  } catch (error) {
    if (!isHostError(error)) throw error
    if (setting(ctx.opts, 'test')) return ''
    throw new SaltError('CommandExecutionError', `Unable to open file '${path}'. Exception: ${error.message}`)
  }
}

async function flush(ctx: FunctionContext, place: Place, file: Section): Promise<void> {
  try {
    await ctx.host.write(place.file_name, encodeText(writeIni(file), encodingOf(place)))
  } catch (error) {
    if (!isHostError(error)) throw error
    const reason = toError(error).message
    throw new SaltError('CommandExecutionError', `Unable to write file '${place.file_name}'. Exception: ${reason}`)
  }
}

const entryValue = (held: string | Section | undefined): Value =>
  held instanceof Section ? held.plain() : (held ?? null)

async function getOption(ctx: FunctionContext, args: Place & { section: Value; option: Value }): Promise<Value> {
  const file = await load(ctx, args)
  if (!truthy(args.section)) return entryValue(file.entries.get(str(args.option)))
  const section = file.entries.get(str(args.section))
  return section instanceof Section ? entryValue(section.entries.get(str(args.option))) : null
}

async function removeOption(ctx: FunctionContext, args: Place & { section: Value; option: Value }): Promise<Value> {
  const file = await load(ctx, args)
  const section = file.entries.get(str(args.section))
  const { entries } = section instanceof Section ? section : file
  const value = entryValue(entries.get(str(args.option)))
  entries.delete(str(args.option))
  await flush(ctx, args, file)
  return value
}

async function removeSection(ctx: FunctionContext, args: Place & { section: Value }): Promise<Value> {
  const file = await load(ctx, args)
  const section = file.entries.get(str(args.section))
  if (section === undefined) return null
  file.entries.delete(str(args.section))
  await flush(ctx, args, file)
  return entryValue(section)
}

const file_name = arg.string('The path of the file')
const section = arg.text('The name of the section')
const option = arg.text('The name of the option')
const place = {
  separator: arg.string('What is between an option and its value', { default: '=' }),
  encoding: arg.any('How the file is encoded; UTF-8 when not given', { optional: true }),
}

const reading = <A extends Record<string, Arg<Value>>, R extends Result = Result>(
  doc: string,
  args: A,
  run: (ctx: FunctionContext, args: Place & Record<keyof A, Value>) => Promise<NoInfer<R>>,
  returns?: Returns<R>,
) =>
  reads({
    doc,
    args: { file_name, ...args, ...place },
    returns: returns ?? ret.any('What is there'),
    run: (ctx, given) => run(ctx, given as unknown as Place & Record<keyof A, Value>),
  })

export default defineModule({
  name: 'ini_manage',
  virtual: 'ini',
  doc: 'Read and change files of sections and options.',
  functions: {
    set_option: changes({
      doc: 'Set options; sections and the file are made when they are missing.',
      args: {
        file_name,
        sections: arg.dict('Options by section; options outside of sections by themselves', { optional: true }),
        ...place,
        no_spaces: arg.boolean('Write the separator without spaces', { default: false }),
      },
      returns: ret.dict('What differed, before and after'),
      example: "ini.set_option /path/to/ini '{section_foo: {key: value}}'",
      run: async (ctx, args) => {
        const file = await load(ctx, args)
        const changes = file.update(args.sections ?? new Map())
        await flush(ctx, args, file)
        return changes
      },
    }),
    get_option: reading('The value of an option.', { section, option }, getOption),
    remove_option: changes({
      doc: 'Remove an option.',
      args: { file_name, section, option, ...place },
      returns: ret.any('The value it had'),
      example: 'ini.remove_option /path/to/ini section_name option_name',
      run: removeOption,
    }),
    get_section: reading(
      'The options of a section.',
      { section },
      async (ctx, args) => {
        const held = (await load(ctx, args)).entries.get(str(args.section))
        return held instanceof Section ? held.plain() : new Map()
      },
      ret.dict('The options'),
    ),
    remove_section: changes({
      doc: 'Remove a section.',
      args: { file_name, section, ...place },
      returns: ret.any('The options it had'),
      example: 'ini.remove_section /path/to/ini section_name',
      run: removeSection,
    }),
    get_ini: reading(
      'The whole file.',
      {},
      async (ctx, args) => (await load(ctx, args)).plain(),
      ret.dict('The sections and their options'),
    ),
  },
})
