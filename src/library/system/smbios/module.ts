// Firmware information, through dmidecode. Placeholder values are omitted unless `clean` is False.
import { splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, outputOf, type Result, reads } from '../../../sdk/mod.ts'

async function decoded(ctx: FunctionContext, words = ''): Promise<string> {
  const program = (await ctx.host.which('dmidecode')) ?? (await ctx.host.which('smbios'))
  return outputOf(ctx, `${program ?? 'dmidecode'} ${words}`.trim(), { output_loglevel: 'quiet', ignore_retcode: true })
}

const UUID = /^(?:urn:)?(?:uuid:)?\{?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\}?$/i
const UNFILLED_NUMBER = /^0+$|^0?1234567[8]?[9]?[0]?|sernum|part[_-]?number|specified|filled|applicable/i
const UNFILLED_NAME = /manufacturer|to be filled|available|asset|^no(?:ne|t)/i
const UNFILLED =
  /to be filled|un(?:known|specified)|no(?:t|ne)? (?:asset|provided|defined|available|present|specified)/i

/** Return whether a value is not a placeholder. */
function isFilled(key: string, value: string): boolean {
  if (value === '' || /^none/i.test(value)) return false
  if (key.includes('uuid')) return UUID.test(value)
  if (/serial|part|version/.test(key)) return !UNFILLED_NUMBER.test(value)
  return !(/asset|manufacturer/.test(key) ? UNFILLED_NAME : UNFILLED).test(value)
}

function filledValue(key: string, text: string, clean: boolean): Value | undefined {
  if (clean && !isFilled(key, text)) return undefined
  if (/^(?:serial|part|asset|product)/i.test(key)) return text
  if (text.includes(',')) return text.split(',').map((part) => part.trim())
  return /^[+-]?\d+$/.test(text) ? Number(text) : text
}

interface Choice {
  clean: boolean
  fields: Value
}

/** Parse the lines of a record: one tab for a value, two for an item of the value above. As in Salt, the last value is lost. */
function dataOf(lines: readonly string[], { clean, fields }: Choice): Record<string, Value> {
  const data: Record<string, Value> = {}
  let own: { key: string; value: Value | undefined; list: Value[] } | undefined
  const finish = (): void => {
    if (!own) return
    const { key, value, list } = own
    if (list.length > 0) data[key] = value === undefined ? list : [value, ...list]
    else if (value !== undefined) data[key] = value
  }
  const isWanted = (key: string): boolean =>
    !(clean && key === 'header_and_data') &&
    (!truthy(fields) || (Array.isArray(fields) ? fields.includes(key) : str(fields).includes(key)))
  for (const line of lines) {
    const [, name, text = ''] = /^\t(\S[^:]*):(.*)$/.exec(line) ?? []
    if (name !== undefined) {
      finish()
      const key = name.trim().toLowerCase().replaceAll(' ', '_')
      own = isWanted(key) ? { key, value: filledValue(key, text.trim(), clean), list: [] } : undefined
    } else if (own && /^\t\t\S/.test(line)) {
      const item = filledValue(own.key, line.trim(), clean)
      if (item !== undefined) own.list.push(item)
    }
  }
  return data
}

function recordsIn(text: string, choice: Choice): Result[] {
  const parts = text.split(/(handle [0-9]x[0-9a-f]+[^\n]+)\n/i).slice(1)
  const records: Result[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [handle, type] = parts[at]!.split(',').map((words) => words.trim().split(/\s+/).at(-1)!)
    const [description = '', ...lines] = parts[at + 1]!.split('\n')
    const record = { handle: handle!, description: description.trim(), type: Number(type) }
    const data = dataOf(lines, choice)
    if (Object.keys(data).length > 0) records.push({ ...record, data })
    else if (!choice.clean) records.push(record)
  }
  return records
}

const clean = arg.flag('Whether to omit placeholder values', { default: true })

export default defineModule({
  name: 'smbios',
  doc: 'Read firmware information.',
  when: async ({ host }) =>
    (await host.which('dmidecode')) !== undefined ||
    (await host.which('smbios')) !== undefined ||
    'The smbios execution module failed to load: neither dmidecode nor smbios in the path.',
  functions: {
    get: reads({
      doc: 'Return a string of the firmware.',
      example: 'smbios.get system-uuid clean=False',
      args: { string: arg.text('Keyword of dmidecode, such as system-uuid'), clean },
      run: async (ctx, { string, clean }) => {
        const text = (await decoded(ctx, `-s ${string}`)).trim()
        const value = splitLines(text)
          .filter((line) => !line.startsWith('#'))
          .join('\n')
        return value.startsWith('/dev/mem') || (clean && !isFilled(string, value)) ? null : value
      },
    }),
    records: reads({
      doc: 'Return the records of the firmware.',
      example: 'smbios.records 4 core_count,thread_count,current_speed',
      args: {
        rec_type: arg.text('Record type; all if not given', { optional: true }),
        fields: arg.any('Value names: a list, or text that contains them', { optional: true }),
        clean,
      },
      run: async (ctx, { rec_type, fields, clean }) => {
        const text = await decoded(ctx, rec_type === null ? '' : `-t ${rec_type}`)
        return recordsIn(text, { clean, fields })
      },
    }),
  },
})
