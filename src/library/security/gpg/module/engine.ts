// Runs of gpg: the keychain, and the lines of the status channel.
import { join } from 'node:path/posix'
import { type Dict, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { checkLinks, type FunctionContext } from '../../../../sdk/mod.ts'

/** The keychain: of a user or a directory, with its own keyring file if one is named. */
export interface Ring {
  user: string | null
  gnupghome: string | null
  keyring: Value
}

export interface Status {
  keyword: string
  text: string
}

export interface Outcome {
  retcode: number
  stdout: Uint8Array
  stderr: string
  status: Status[]
}

async function userInfo(ctx: FunctionContext, user: string | null): Promise<Dict> {
  const name = user ? user : await ctx.call('config.option', ['user'])
  const info = await ctx.call('user.info', [truthy(name) ? name : 'root'])
  if (info.size > 0) return info
  // the user `salt` need not exist; then use the user that runs the minion
  if (user === 'salt') return userInfo(ctx, null)
  throw misuse(`User ${str(name)} does not exist`)
}

async function homeOf(ctx: FunctionContext, { user, gnupghome }: Ring): Promise<string> {
  if (gnupghome) return gnupghome
  if (user === 'salt') return join(str(await ctx.call('config.get', ['config_dir'])), 'gpgkeys')
  const home =
    user === null
      ? (await ctx.host.env()).get('GNUPGHOME')
      : (await ctx.call('cmd.run_stdout', ['echo -n "$GNUPGHOME"'], { python_shell: true, runas: user })).trim()
  if (home && !home.startsWith('~')) return home
  return join(str((await userInfo(ctx, user)).get('home')!), '.gnupg')
}

/** Return the directory; create it if it is missing. */
async function madeHome(ctx: FunctionContext, ring: Ring): Promise<string> {
  const home = await checkLinks(ctx.host, await homeOf(ctx, ring))
  if ((await ctx.host.stat(home)) === undefined) {
    const info = await userInfo(ctx, ring.user)
    await ctx.call('file.mkdir', [home], { user: info.get('uid')!, group: info.get('gid')!, mode: '0700' })
  }
  return home
}

export interface Run {
  stdin?: string | Uint8Array
  /** Passed on the first line of the input. */
  passphrase?: string | null
}

const statusOf = (stderr: string): Status[] =>
  [...stderr.matchAll(/^\[GNUPG:\] (\S+) ?(.*)$/gm)].map(([, keyword = '', text = '']) => ({ keyword, text }))

export async function gpg(ctx: FunctionContext, ring: Ring, args: readonly string[], run: Run = {}): Promise<Outcome> {
  if (truthy(ring.keyring) && typeof ring.keyring !== 'string') {
    throw misuse('Please pass keyring as a string. Multiple keyrings are not allowed')
  }
  const passphrase = run.passphrase ?? null
  const argv = [
    'gpg',
    ...(passphrase === null ? [] : ['--pinentry-mode', 'loopback']),
    ...['--status-fd', '2', '--no-tty', '--no-verbose', '--fixed-list-mode', '--batch', '--with-colons'],
    ...['--homedir', await madeHome(ctx, ring)],
    ...(truthy(ring.keyring) ? ['--no-default-keyring', '--keyring', str(ring.keyring)] : []),
    ...(passphrase === null ? [] : ['--passphrase-fd', '0']),
    ...args,
  ]
  const input = typeof run.stdin === 'string' ? Buffer.from(run.stdin) : Buffer.from(run.stdin ?? [])
  const stdin = passphrase === null ? input : Buffer.concat([Buffer.from(`${passphrase}\n`), input])
  const { retcode, stdout, stderr } = await ctx.host.run({ argv, stdin })
  const errors = Buffer.from(stderr).toString()
  return { retcode, stdout, stderr: errors, status: statusOf(errors) }
}

/** Give files that were created for another user to that user. */
export async function handBack(ctx: FunctionContext, ring: Ring): Promise<void> {
  const info = await userInfo(ctx, ring.user)
  const own = await userInfo(ctx, null)
  if (info.get('uid') === own.get('uid')) return
  const home = await checkLinks(ctx.host, await homeOf(ctx, ring))
  const files = (await ctx.call('file.find', [home])) as Value[]
  const keyring = truthy(ring.keyring) && (await ctx.host.stat(str(ring.keyring))) ? [ring.keyring] : []
  for (const path of [home, ...files, ...keyring]) {
    await ctx.call('file.lchown', [path, info.get('uid')!, info.get('gid')!])
  }
}

/** Return the passphrase in the pillar; undefined if there is none. */
export async function pillarPassphrase(ctx: FunctionContext): Promise<string | undefined> {
  const words = await ctx.call('pillar.get', ['gpg_passphrase'])
  return truthy(words) ? str(words) : undefined
}

export async function neededPassphrase(ctx: FunctionContext, wanted: boolean): Promise<string | null> {
  if (!wanted) return null
  const words = await pillarPassphrase(ctx)
  if (words === undefined) throw misuse('gpg_passphrase not available in pillar.')
  return words
}
