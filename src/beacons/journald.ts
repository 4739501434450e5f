// Entries of systemd's journal whose fields are as wanted.
import { type Dict, decodeBytes, isDict, loadJson, str, type Value } from '../data/mod.ts'
import { type BeaconContext, defineBeacon, dictOption } from '../sdk/mod.ts'

async function journal(ctx: BeaconContext, words: readonly string[]): Promise<Dict[]> {
  const ran = await ctx.host.run({ argv: ['journalctl', '--quiet', '--no-pager', '--all', '--output=json', ...words] })
  const lines = decodeBytes(ran.stdout)
    .split('\n')
    .filter((line) => line !== '')
  return lines.map((line) => loadJson(line)).filter((entry): entry is Dict => isDict(entry))
}

function isWanted(entry: Dict, fields: Value): boolean {
  if (!isDict(fields)) return false
  return [...fields].every(([name, value]) => entry.has(name) && str(entry.get(name)!) === str(value))
}

export default defineBeacon({
  name: 'journald',
  doc: "Tells of entries of systemd's journal.",
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
    // the first look only finds the end
    if (cursor === undefined) return []
    return entries.flatMap((entry) =>
      [...dictOption(config, 'services')]
        .filter(([, fields]) => isWanted(entry, fields))
        .map(([name]) => new Map(entry).set('tag', name)),
    )
  },
})
