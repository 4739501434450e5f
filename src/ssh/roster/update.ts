// Adds a target to the flat roster (`--update-roster`). The file is a template: text that a template would read is escaped.
import { ownUser } from '../../base/mod.ts'
import { isDict, str } from '../../data/mod.ts'
import { isHostError } from '../../host/mod.ts'
import { dump, yamlDquote } from '../../yaml/mod.ts'
import type { RosterRequest } from './backend.ts'
import type { RosterEntry } from './entry.ts'
import { RosterError } from './errors.ts'
import { readText, rosterFile } from './files.ts'
import { flat } from './flat.ts'

/**
 * Append an entry with the host, user and password of a target to the flat roster, unless the roster has a target of that id or host.
 * A file that is new is private.
 */
export async function addToRoster(request: RosterRequest, entry: RosterEntry): Promise<void> {
  const { host, log } = request
  const file = await rosterFile(request)
  try {
    const before = await textBefore(request, file)
    if (before !== '' && !(await host.access(file, 'write'))) throw new RosterError('RosterUnreadable', 'access denied')
    if (await isListed(request, entry, before)) return
    const break_ = before === '' || before.endsWith('\n') ? '' : '\n'
    await host.write(file, `${before}${break_}${written(entry, host.now())}`, before === '' ? { mode: 0o600 } : {})
    log('info', `The host ${entry.id} has been added to the roster ${file}`)
  } catch (error) {
    if (!(error instanceof RosterError) && !isHostError(error)) throw error
    log('error', `Unable to update roster ${file}: ${error.message}`)
  }
}

/** Throws for a roster that cannot be rendered: nothing is added to it. */
async function isListed(request: RosterRequest, entry: RosterEntry, text: string): Promise<boolean> {
  if (text === '') return false
  const { entries } = await flat.read(request)
  const host = str(entry.settings.get('host') ?? entry.id)
  return [...entries].some(([id, value]) => {
    const named = typeof value !== 'function' && isDict(value) ? value.get('host') : value
    return id === entry.id || named === host
  })
}

async function textBefore({ host }: RosterRequest, file: string): Promise<string> {
  return (await host.stat(file)) === undefined ? '' : readText(host, file)
}

function written({ id, settings }: RosterEntry, now: number): string {
  const stamp = new Date(now * 1000).toISOString().replace('Z', '000')
  const value = (key: string): string => scalar(str(settings.get(key) ?? ''))
  return (
    `# Automatically added by "${ownUser().replace(/\p{Cc}/gu, '')}" at ${stamp}\n${scalar(id)}:\n` +
    `    host: ${value('host')}\n    user: ${value('user')}\n    passwd: ${value('passwd')}\n`
  )
}

/** Return a text as YAML in which no template begins. As in Salt, an empty one stays empty. */
function scalar(text: string): string {
  if (text === '') return ''
  const plain = dump(text, { width: -1 }).replace(/\n(\.\.\.\n)?$/, '')
  return plain.includes('\n') || /\{[{%#]/.test(text) ? yamlDquote(text).replaceAll('{', '\\x7b') : plain
}
