// Keys that may log in as a user.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { authorizedKey } from './authorized-key.ts'

interface Wish {
  name: string
  user: Value
  enc: Value
  comment: Value
  source: Value
  options: Value
  config: Value
  fingerprint_hash_type: Value
}

/** At most so many words; the last one takes the rest. */
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

/** A name may be a whole line of the file: options, kind, key and comment. */
function spelledOut(wish: Wish): Wish {
  const line = authorizedKey(wish.name)
  if (line === undefined) {
    const [name = '', comment = wish.comment] = parted(wish.name, 2)
    return { ...wish, name, comment }
  }
  const [enc = '', name = '', comment = wish.comment] = parted(line.rest, 3)
  const options = line.options === '' ? wish.options : line.options.split(',')
  return { ...wish, enc, name, comment, options }
}

const report = (name: string, result: boolean | null, comment: string): StateReturn => ({
  name,
  changes: {},
  result,
  comment,
})

const place = ({ config, fingerprint_hash_type }: Wish) => ({ config, fingerprint_hash_type })

async function checkKey(ctx: StateContext, wish: Wish): Promise<Value> {
  const { user, name, enc, comment, options } = wish
  return ctx.call('ssh.check_key', [user, name, enc, comment, truthy(options) ? options : []], place(wish))
}

/** For a file of keys: what a dry run says about those that have something to do. */
async function foreseenFile(
  ctx: StateContext,
  wish: Wish,
  line: (status: Value, key: Value) => string,
  settled: string,
): Promise<[boolean | null, string]> {
  const { user, source, config, fingerprint_hash_type } = wish
  const options = { saltenv: ctx.env, fingerprint_hash_type }
  const keys = await ctx.call('ssh.check_key_file', [user, source, config], options)
  const comment = [...keys].map(([key, status]) => line(status, key)).join('')
  if (comment !== '') return [null, comment]
  const complaint = takeComplaint(ctx)
  return complaint === undefined
    ? [true, `All host keys in file ${str(source)} are already ${settled}`]
    : [false, complaint]
}

function takeComplaint({ memory }: StateContext): string | undefined {
  const complaint = memory.get('ssh_auth.error')
  memory.delete('ssh_auth.error')
  return complaint === undefined ? undefined : str(complaint)
}

async function foreseenPresent(ctx: StateContext, wish: Wish): Promise<[boolean | null, string]> {
  if (truthy(wish.source)) {
    const line = (status: Value, key: Value): string =>
      status === 'exists' ? '' : `Set to ${str(status)}: ${str(key)}\n`
    return foreseenFile(ctx, wish, line, 'present')
  }
  const { name, user } = wish
  const status = await checkKey(ctx, wish)
  if (status === 'exists') return [true, `The authorized host key ${name} is already present for user ${str(user)}`]
  return [null, `Key ${name} for user ${str(user)} is set to be ${status === 'add' ? 'added' : 'updated'}`]
}

async function set(ctx: StateContext, wish: Wish): Promise<Value> {
  const { user, name, enc, comment, source, options } = wish
  if (source === '') {
    const wanted = { enc, comment, options: truthy(options) ? options : [] }
    return ctx.call('ssh.set_auth_key', [user, name], { ...wanted, ...place(wish) })
  }
  if (!truthy(await ctx.call('cp.get_url', [source, null], { saltenv: ctx.env }))) return 'no key'
  return ctx.call('ssh.set_auth_key_from_file', [user, source], { ...place(wish), saltenv: ctx.env, options })
}

async function present(ctx: StateContext, given: Wish): Promise<StateReturn> {
  const wish = given.source === '' ? spelledOut(given) : given
  const subject = `The authorized host key ${wish.name}`
  if (ctx.test) return report(given.name, ...(await foreseenPresent(ctx, wish)))
  const answer = str(await set(ctx, wish))
  const done = (what: string, comment: string): StateReturn => ({
    ...report(given.name, true, comment),
    changes: { [wish.name]: what },
  })
  switch (answer) {
    case 'replace':
      return done('Updated', `${subject} for user ${str(wish.user)} was updated`)
    case 'new':
      return done('New', `${subject} for user ${str(wish.user)} was added`)
    case 'no change':
      return report(given.name, true, `${subject} is already present for user ${str(wish.user)}`)
    case 'no key':
      return report(given.name, false, `Failed to add the ssh key. Source file ${str(wish.source)} is missing`)
    case 'fail':
      return report(given.name, false, takeComplaint(ctx) ?? NO_HOME)
    default:
      return report(given.name, false, 'Invalid public ssh key, most likely has spaces or invalid syntax')
  }
}

const NO_HOME = 'Failed to add the ssh key. Is the home directory available, and/or does the key file exist?'

async function absent(ctx: StateContext, given: Wish): Promise<StateReturn> {
  const hasSource = given.source !== ''
  const wish = hasSource ? given : spelledOut(given)
  if (ctx.test) return report(given.name, ...(await foreseenAbsent(ctx, wish)))
  const comment = hasSource
    ? await removeFromFile(ctx, wish)
    : await ctx.call('ssh.rm_auth_key', [wish.user, wish.name], place(wish))
  const outcome = report(given.name, true, str(comment))
  return comment === 'Key removed' ? { ...outcome, changes: { [wish.name]: 'Removed' } } : outcome
}

async function removeFromFile(ctx: StateContext, wish: Wish): Promise<Value> {
  const { user, source, config, fingerprint_hash_type } = wish
  if (!truthy(await ctx.call('cp.get_url', [source, null], { saltenv: ctx.env }))) return ''
  const options = { saltenv: ctx.env, fingerprint_hash_type }
  return ctx.call('ssh.rm_auth_key_from_file', [user, source, config], options)
}

async function foreseenAbsent(ctx: StateContext, wish: Wish): Promise<[boolean | null, string]> {
  if (truthy(wish.source)) {
    const line = (status: Value, key: Value): string => (status === 'add' ? '' : `Set to remove: ${str(key)}\n`)
    return foreseenFile(ctx, wish, line, 'absent')
  }
  if ((await checkKey(ctx, wish)) === 'add') return [true, 'Key is already absent']
  return [null, `Key ${wish.name} for user ${str(wish.user)} is set for removal`]
}

async function manage(ctx: StateContext, wish: Wish & { ssh_keys: Value }): Promise<StateReturn> {
  const wanted = (wish.ssh_keys as Value[]).map((key) => str(key))
  const words = new Set(wanted.flatMap((key) => key.split(' ')))
  const held = await ctx.call('ssh.auth_keys', [], { user: wish.user, ...place(wish) })
  const changes: Dict = new Map()
  let result: boolean | null = true
  let comment = ''
  for (const key of [...held.keys()].map((key) => str(key)).filter((key) => !words.has(key))) {
    if (ctx.test) {
      comment = `${key} Key set for removal`
      result = null
    } else changes.set(key, str((await absent(ctx, { ...wish, name: key })).comment as string))
  }
  for (const key of wanted) {
    const outcome = await present(ctx, { ...wish, name: key })
    const made = Object.entries(outcome.changes as Record<string, Value>)
    for (const [name, what] of made) changes.set(name, what)
    if (made.length === 0) comment = `${comment}\n${outcome.comment as string}`.trim()
    if (outcome.result !== true) result = outcome.result
  }
  return { name: '', changes, result, comment }
}

const args = {
  user: arg.any('The user'),
  enc: arg.any('The kind of key', { default: 'ssh-rsa' }),
  comment: arg.any('Its comment', { default: '' }),
  source: arg.any('A file with keys, instead of the key', { default: '' }),
  options: arg.any('Its options, as a list', { optional: true }),
  config: arg.any('The file, below the home directory; %u and %h stand for user and home', {
    default: '.ssh/authorized_keys',
  }),
  fingerprint_hash_type: arg.any('The hash of fingerprints; sha256 when not given', { optional: true }),
}
const name = arg.string('The key, or a whole line of the file')
const kwargs = arg.ignored()

export default defineState({
  name: 'ssh_auth',
  doc: 'Keep keys that may log in as a user.',
  functions: {
    present: state({
      doc: 'A key may log in.',
      args: { name, ...args, kwargs },
      run: (ctx, wish) => present(ctx, wish),
    }),
    absent: state({
      doc: 'A key may not log in.',
      args: { name, ...args },
      run: (ctx, wish) => absent(ctx, wish),
    }),
    manage: state({
      doc: 'These keys may log in, and no others.',
      args: {
        name: arg.string('Any name'),
        ssh_keys: arg.any('The keys, or whole lines of the file'),
        ...args,
        kwargs,
      },
      run: (ctx, wish) => manage(ctx, wish),
    }),
  },
})
