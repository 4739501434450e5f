// Authorized keys of users.
import { isA } from '../../../base/mod.ts'
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineState,
  LinkRefused,
  orFailed,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'
import { authorizedKey } from './authorized-key.ts'

interface WantedKey {
  name: string
  user: string
  enc: string
  comment: string
  source: string
  options: Value
  config: string
  fingerprint_hash_type: string | null
}

/** Split a text into at most so many words; the last one takes the rest. */
function parted(text: string, most: number): string[] {
  const words: string[] = []
  let rest = text.trimStart()
  while (rest !== '' && words.length < most - 1) {
    const word = /^\S+/.exec(rest)![0]
    words.push(word)
    rest = rest.slice(word.length).trimStart()
  }
  return rest === '' ? words : [...words, rest]
}

/** Parse a name that is a whole line of the file: options, type, key and comment. */
function spelledOut(wanted: WantedKey): WantedKey {
  const line = authorizedKey(wanted.name)
  if (line === undefined) {
    const [name = '', comment = wanted.comment] = parted(wanted.name, 2)
    return { ...wanted, name, comment }
  }
  const [enc = '', name = '', comment = wanted.comment] = parted(line.rest, 3)
  const options = line.options === '' ? wanted.options : line.options.split(',')
  return { ...wanted, enc, name, comment, options }
}

const report = (name: string, result: boolean | null, comment: string): StateReturn => ({
  name,
  changes: {},
  result,
  comment,
})

const place = ({ config, fingerprint_hash_type }: WantedKey) => ({ config, fingerprint_hash_type })

async function checkKey(ctx: StateContext, wanted: WantedKey): Promise<Value> {
  const { user, name, enc, comment, options } = wanted
  return ctx.call('ssh.check_key', [user, name, enc, comment, truthy(options) ? options : []], place(wanted))
}

/** Return the prediction of a dry run about the keys of a file. */
async function foreseenFile(
  ctx: StateContext,
  wanted: WantedKey,
  line: (status: Value, key: Value) => string,
  settled: string,
): Promise<[boolean | null, string]> {
  const { user, source, config, fingerprint_hash_type } = wanted
  const options = { saltenv: ctx.env, fingerprint_hash_type }
  const keys = await ctx.call('ssh.check_key_file', [user, source, config], options)
  const comment = [...keys].map(([key, status]) => line(status, key)).join('')
  if (comment !== '') return [null, comment]
  const complaint = takeComplaint(ctx)
  return complaint === undefined ? [true, `All host keys in file ${source} are already ${settled}`] : [false, complaint]
}

function takeComplaint({ memory }: StateContext): string | undefined {
  const complaint = memory.get('ssh_auth.error')
  memory.delete('ssh_auth.error')
  return complaint === undefined ? undefined : str(complaint)
}

async function foreseenPresent(ctx: StateContext, wanted: WantedKey): Promise<[boolean | null, string]> {
  if (wanted.source !== '') {
    const line = (status: Value, key: Value): string =>
      status === 'exists' ? '' : `Set to ${str(status)}: ${str(key)}\n`
    return foreseenFile(ctx, wanted, line, 'present')
  }
  const { name, user } = wanted
  const status = await checkKey(ctx, wanted)
  if (status === 'exists') return [true, `The authorized host key ${name} is already present for user ${user}`]
  return [null, `Key ${name} for user ${user} is set to be ${status === 'add' ? 'added' : 'updated'}`]
}

async function set(ctx: StateContext, wanted: WantedKey): Promise<Value> {
  const { user, name, enc, comment, source, options } = wanted
  if (source === '') {
    const keywords = { enc, comment, options: truthy(options) ? options : [] }
    return ctx.call('ssh.set_auth_key', [user, name], { ...keywords, ...place(wanted) })
  }
  if (!truthy(await ctx.call('cp.get_url', [source, null], { saltenv: ctx.env }))) return 'no key'
  return ctx.call('ssh.set_auth_key_from_file', [user, source], { ...place(wanted), saltenv: ctx.env, options })
}

async function present(ctx: StateContext, given: WantedKey): Promise<StateReturn> {
  const wanted = given.source === '' ? spelledOut(given) : given
  const subject = `The authorized host key ${wanted.name}`
  if (ctx.test) return report(given.name, ...(await foreseenPresent(ctx, wanted)))
  const answer = str(await set(ctx, wanted))
  const done = (what: string, comment: string): StateReturn => ({
    ...report(given.name, true, comment),
    changes: { [wanted.name]: what },
  })
  switch (answer) {
    case 'replace':
      return done('Updated', `${subject} for user ${wanted.user} was updated`)
    case 'new':
      return done('New', `${subject} for user ${wanted.user} was added`)
    case 'no change':
      return report(given.name, true, `${subject} is already present for user ${wanted.user}`)
    case 'no key':
      return report(given.name, false, `Failed to add the ssh key. Source file ${wanted.source} is missing`)
    case 'fail':
      return report(given.name, false, takeComplaint(ctx) ?? NO_HOME)
    default:
      return report(given.name, false, 'Invalid public ssh key, most likely has spaces or invalid syntax')
  }
}

const NO_HOME = 'Failed to add the ssh key. Is the home directory available, and/or does the key file exist?'

async function absent(ctx: StateContext, given: WantedKey): Promise<StateReturn> {
  const hasSource = given.source !== ''
  const wanted = hasSource ? given : spelledOut(given)
  if (ctx.test) return report(given.name, ...(await foreseenAbsent(ctx, wanted)))
  const comment = hasSource
    ? await removeFromFile(ctx, wanted)
    : await ctx.call('ssh.rm_auth_key', [wanted.user, wanted.name], place(wanted))
  const outcome = report(given.name, true, str(comment))
  return comment === 'Key removed' ? { ...outcome, changes: { [wanted.name]: 'Removed' } } : outcome
}

async function removeFromFile(ctx: StateContext, wanted: WantedKey): Promise<Value> {
  const { user, source, config, fingerprint_hash_type } = wanted
  if (!truthy(await ctx.call('cp.get_url', [source, null], { saltenv: ctx.env }))) return ''
  const options = { saltenv: ctx.env, fingerprint_hash_type }
  return ctx.call('ssh.rm_auth_key_from_file', [user, source, config], options)
}

async function foreseenAbsent(ctx: StateContext, wanted: WantedKey): Promise<[boolean | null, string]> {
  if (wanted.source !== '') {
    const line = (status: Value, key: Value): string => (status === 'add' ? '' : `Set to remove: ${str(key)}\n`)
    return foreseenFile(ctx, wanted, line, 'absent')
  }
  if ((await checkKey(ctx, wanted)) === 'add') return [true, 'Key is already absent']
  return [null, `Key ${wanted.name} for user ${wanted.user} is set for removal`]
}

async function manage(ctx: StateContext, wanted: WantedKey & { ssh_keys: Value[] }): Promise<StateReturn> {
  const lines = wanted.ssh_keys.map(str)
  const words = new Set(lines.flatMap((key) => key.split(' ')))
  const held = await ctx.call('ssh.auth_keys', [], { user: wanted.user, ...place(wanted) })
  const changes: Dict = new Map()
  let result: boolean | null = true
  let comment = ''
  for (const key of [...held.keys()].map((key) => str(key)).filter((key) => !words.has(key))) {
    if (ctx.test) {
      comment = `${key} Key set for removal`
      result = null
    } else changes.set(key, str((await absent(ctx, { ...wanted, name: key })).comment as string))
  }
  for (const key of lines) {
    const outcome = await present(ctx, { ...wanted, name: key })
    const made = Object.entries(outcome.changes as Record<string, Value>)
    for (const [name, what] of made) changes.set(name, what)
    if (made.length === 0) comment = `${comment}\n${outcome.comment as string}`.trim()
    if (outcome.result !== true) result = outcome.result
  }
  return { name: '', changes, result, comment }
}

const args = {
  user: arg.text('Name of the user'),
  enc: arg.text('Type of the key', { default: 'ssh-rsa' }),
  comment: arg.text('Comment of the key', { default: '' }),
  source: arg.text('URL of a file with keys, instead of the key', { default: '' }),
  options: arg.any('List of options of the key', { optional: true }),
  config: arg.text('File of authorized keys, relative to the home directory; %u and %h stand for user and home', {
    default: '.ssh/authorized_keys',
  }),
  fingerprint_hash_type: arg.text('Hash algorithm of fingerprints. Default: sha256', { optional: true }),
}
const name = arg.string('Key, or a whole line of the file')
const kwargs = arg.ignored()

/** Report a link that root does not follow as the comment of a failed state. */
const refusedLinks = (name: string, run: () => Promise<StateReturn>): Promise<StateReturn> =>
  orFailed(name, run, isA(LinkRefused))

export default defineState({
  name: 'ssh_auth',
  doc: 'Manage authorized keys of users.',
  functions: {
    present: state({
      doc: 'Ensure that a key is authorized.',
      args: { name, ...args, kwargs },
      run: (ctx, wanted) => refusedLinks(wanted.name, () => present(ctx, wanted)),
    }),
    absent: state({
      doc: 'Ensure that a key is not authorized.',
      args: { name, ...args },
      run: (ctx, wanted) => refusedLinks(wanted.name, () => absent(ctx, wanted)),
    }),
    manage: state({
      doc: 'Ensure that the given keys are authorized, and no others.',
      args: {
        name: arg.string('Label of the state'),
        ssh_keys: arg.list('List of keys, or of whole lines of the file'),
        ...args,
        kwargs,
      },
      run: (ctx, wanted) => refusedLinks(wanted.name, () => manage(ctx, wanted)),
    }),
  },
})
