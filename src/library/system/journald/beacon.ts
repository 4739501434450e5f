// Entries of the systemd journal with given fields.
import { type Dict, decodeBytes, isDict, isList, loadJson, str, type Value } from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, dictOption } from '../../../sdk/mod.ts'

/** Numeric fields. */
const NUMBERS = new Set([
  ...['PRIORITY', 'SYSLOG_FACILITY', 'CODE_LINE', 'ERRNO', 'EXIT_STATUS', 'LEADER', '_UID', '_GID', '_PID'],
  ...['_AUDIT_LOGINUID', '_AUDIT_SESSION', '_SYSTEMD_OWNER_UID', 'COREDUMP_PID', 'COREDUMP_UID', 'COREDUMP_GID'],
  ...['COREDUMP_SESSION', 'COREDUMP_SIGNAL', 'USERSPACE_USEC', 'INITRD_USEC', 'KERNEL_USEC'],
])

/** Convert numbers, and bytes that are not valid text. */
function typed(name: Value, value: Value): Value {
  if (typeof value === 'string' && NUMBERS.has(str(name)) && /^-?\d+$/.test(value)) return Number(value)
  return isList(value) && value.every((item) => typeof item === 'number')
    ? Buffer.from([...value] as number[]).toString()
    : value
}

async function journal(ctx: BeaconContext, words: readonly string[]): Promise<Dict[]> {
  const ran = await ctx.host.run({ argv: ['journalctl', '--quiet', '--no-pager', '--all', '--output=json', ...words] })
  const lines = decodeBytes(ran.stdout)
    .split('\n')
    .filter((line) => line !== '')
  const entries = lines.map((line) => loadJson(line)).filter((entry): entry is Dict => isDict(entry))
  return entries.map((entry) => new Map([...entry].map(([name, value]) => [name, typed(name, value)])))
}

function isWanted(entry: Dict, fields: Value): boolean {
  if (!isDict(fields)) return false
  return [...fields].every(([name, value]) => entry.has(name) && str(entry.get(name)!) === str(value))
}

export default defineBeacon({
  name: 'journald',
  doc: 'Report entries of the systemd journal.',
  when: async (ctx) => (await ctx.host.access('/usr/bin/journalctl', 'execute')) || 'journalctl is missing.',
  validate: (config) =>
    [...dictOption(config, 'services').values()].every((fields) => isDict(fields))
      ? undefined
      : 'Services configuration for journald beacon must be a list of dictionaries.',
  beacon: async (ctx, config) => {
    const cursor = ctx.memory.get('cursor')
    const entries = await journal(ctx, cursor === undefined ? ['-n', '1'] : [`--after-cursor=${String(cursor)}`])
    const last = entries.at(-1)?.get('__CURSOR')
    if (last !== undefined) ctx.memory.set('cursor', str(last))
    // the first call only finds the end
    if (cursor === undefined) return []
    return entries.flatMap((entry) =>
      [...dictOption(config, 'services')]
        .filter(([, fields]) => isWanted(entry, fields))
        .map(([name]) => new Map(entry).set('tag', name)),
    )
  },
})
