// Files of sections and options (INI).
import { toError } from '../../../base/mod.ts'
import { decodeBytes, encodeText, failure, splitLines, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  reads,
  ret,
  option as setting,
} from '../../../sdk/mod.ts'
import { readIni, Section, writeIni } from './module/section.ts'

interface Place {
  file_name: string
  separator: string
  encoding: string | null
  no_spaces?: boolean
}

const encodingOf = (place: Place): string => place.encoding ?? 'utf-8'

async function load(ctx: FunctionContext, place: Place): Promise<Section> {
  const form = { separator: place.separator, noSpaces: place.no_spaces ?? false }
  return readIni(place.file_name, await content(ctx, place), form)
}

/** Return the text of a file; empty for a missing one, and in a dry run for an unreadable one. */
async function content(ctx: FunctionContext, place: Place): Promise<string> {
  const { file_name: path } = place
  if ((await ctx.host.stat(path)) === undefined) return ''
  try {
    return splitLines(decodeBytes(await ctx.host.read(path), encodingOf(place))).join('\n')
  } catch (error) {
    if (!isHostError(error)) throw error
    if (setting(ctx.opts, 'test')) return ''
    throw failure(`Unable to open file '${path}'. Exception: ${error.message}`)
  }
}

async function flush(ctx: FunctionContext, place: Place, file: Section): Promise<void> {
  try {
    await ctx.host.write(place.file_name, encodeText(writeIni(file), encodingOf(place)))
  } catch (error) {
    if (!isHostError(error)) throw error
    const reason = toError(error).message
    throw failure(`Unable to write file '${place.file_name}'. Exception: ${reason}`)
  }
}

const entryValue = (held: string | Section | undefined): Value =>
  held instanceof Section ? held.plain() : (held ?? null)

async function getOption(ctx: FunctionContext, args: Place & { section: string; option: string }): Promise<Value> {
  const file = await load(ctx, args)
  if (args.section === '') return entryValue(file.entries.get(args.option))
  const section = file.entries.get(args.section)
  return section instanceof Section ? entryValue(section.entries.get(args.option)) : null
}

async function removeOption(ctx: FunctionContext, args: Place & { section: string; option: string }): Promise<Value> {
  const file = await load(ctx, args)
  const section = file.entries.get(args.section)
  const { entries } = section instanceof Section ? section : file
  const value = entryValue(entries.get(args.option))
  entries.delete(args.option)
  await flush(ctx, args, file)
  return value
}

async function removeSection(ctx: FunctionContext, args: Place & { section: string }): Promise<Value> {
  const file = await load(ctx, args)
  const section = file.entries.get(args.section)
  if (section === undefined) return null
  file.entries.delete(args.section)
  await flush(ctx, args, file)
  return entryValue(section)
}

const file_name = arg.string('Path of the file')
const section = arg.text('Name of the section')
const option = arg.text('Name of the option')
const place = {
  separator: arg.string('Separator of an option and its value', { default: '=' }),
  encoding: arg.text('Encoding of the file; by default UTF-8', { optional: true }),
}

export default defineModule({
  name: 'ini_manage',
  virtual: 'ini',
  doc: 'Read and change files of sections and options.',
  functions: {
    set_option: changes({
      doc: 'Set options. Missing sections and a missing file are created.',
      args: {
        file_name,
        sections: arg.dict('Dicts of options by section; values of options outside of sections', { optional: true }),
        ...place,
        no_spaces: arg.boolean('Write the separator without spaces', { default: false }),
      },
      returns: ret.dict('The old and new values that differ'),
      example: "ini.set_option /path/to/ini '{section_foo: {key: value}}'",
      run: async (ctx, args) => {
        const file = await load(ctx, args)
        const changes = file.update(args.sections ?? new Map())
        await flush(ctx, args, file)
        return changes
      },
    }),
    get_option: reads({
      doc: 'Return the value of an option.',
      args: { file_name, section, option, ...place },
      returns: ret.any('The value; a dict for a section; None when there is no such option'),
      example: 'ini.get_option /path/to/ini section_name option_name',
      run: getOption,
    }),
    remove_option: changes({
      doc: 'Remove an option.',
      args: { file_name, section, option, ...place },
      returns: ret.any('The old value'),
      example: 'ini.remove_option /path/to/ini section_name option_name',
      run: removeOption,
    }),
    get_section: reads({
      doc: 'Return the options of a section.',
      args: { file_name, section, ...place },
      returns: ret.dict('Values by option'),
      example: 'ini.get_section /path/to/ini section_name',
      run: async (ctx, args) => {
        const held = (await load(ctx, args)).entries.get(args.section)
        return held instanceof Section ? held.plain() : new Map()
      },
    }),
    remove_section: changes({
      doc: 'Remove a section.',
      args: { file_name, section, ...place },
      returns: ret.any('The options of the section, or None'),
      example: 'ini.remove_section /path/to/ini section_name',
      run: removeSection,
    }),
    get_ini: reads({
      doc: 'Return all sections and options of a file.',
      args: { file_name, ...place },
      returns: ret.dict('Values by option, and dicts by section'),
      example: 'ini.get_ini /path/to/ini',
      run: async (ctx, args) => (await load(ctx, args)).plain(),
    }),
  },
})
