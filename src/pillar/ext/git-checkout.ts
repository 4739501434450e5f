// Repositories of pillar below the cache: a bare copy of each, and beside it one folder of files for each commit in use.
// Such a folder never changes, so that several minions may be served from it at once.
import { createHash } from 'node:crypto'
import { join } from 'node:path/posix'
import type { Log } from '../../base/mod.ts'
import { decodeBytes, SaltError } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'

export interface Remote {
  url: string
  /** A branch, a tag or a commit; the fallback is taken when there is no such thing. */
  reference: string
  fallback: string
  user: string
  password: string
  privateKey: string
  verifySsl: boolean
  proxy: string
}

/** Seconds until files of a commit that no reference leads to any more are removed. */
const KEPT = 3600

export class GitCheckout {
  private readonly host: Host
  private readonly remote: Remote
  private readonly folder: string

  constructor(host: Host, cache: string, remote: Remote) {
    this.host = host
    this.remote = remote
    this.folder = join(cache, createHash('sha256').update(remote.url).digest('hex').slice(0, 32))
  }

  private get repository(): string {
    return join(this.folder, 'repository')
  }

  /** The folder with the files, after news were fetched if the last are older than that many seconds. */
  async files(maxAge: number, log: Log): Promise<string> {
    try {
      await this.update(maxAge)
    } catch (error) {
      if (!(error instanceof SaltError)) throw error
      // what was fetched before is better than nothing
      log('error', error.message)
    }
    const { reference, fallback, url } = this.remote
    const commit = (await this.commitOf(reference)) ?? (fallback === '' ? undefined : await this.commitOf(fallback))
    if (commit === undefined) {
      throw new SaltError(
        'CommandExecutionError',
        `There is no branch, tag or commit '${reference}' in ${withoutLogin(url)}`,
      )
    }
    const target = join(this.folder, 'files', commit)
    if ((await this.host.stat(target)) === undefined) await this.extract(commit, target)
    return target
  }

  /** Fetches now, and tells whether there was anything new. */
  async fetch(): Promise<boolean> {
    const isNew = (await this.host.stat(join(this.repository, 'HEAD'))) === undefined
    const before = isNew ? '' : await this.references()
    await this.update(0)
    return before !== (await this.references())
  }

  private async references(): Promise<string> {
    return decodeBytes((await this.run('for-each-ref')).stdout)
  }

  private async update(maxAge: number): Promise<void> {
    const mark = join(this.folder, 'fetched')
    const last = await this.host.stat(mark)
    if (last && Date.now() / 1000 - last.mtime < maxAge) return
    if ((await this.host.stat(join(this.repository, 'HEAD'))) === undefined) {
      await this.host.makeDirectory(this.repository, { parents: true, mode: 0o700 })
      await this.git('init', '--quiet', '--bare', '.')
    }
    await this.git('fetch', '--quiet', '--prune', '--force', this.login.address, '+refs/*:refs/*')
    await this.host.write(mark, '')
    await this.clean()
  }

  private async commitOf(reference: string): Promise<string | undefined> {
    // it may be what a minion calls its environment, and must not be taken for an option
    if (reference.startsWith('-')) return undefined
    for (const name of [`refs/heads/${reference}`, `refs/tags/${reference}`, reference]) {
      const { retcode, stdout } = await this.run('rev-parse', '--quiet', '--verify', `${name}^{commit}`)
      if (retcode === 0) return decodeBytes(stdout).trim()
    }
    return undefined
  }

  private async extract(commit: string, target: string): Promise<void> {
    const made = `${target}.${process.pid}.${Date.now()}`
    await this.host.makeDirectory(made, { parents: true, mode: 0o700 })
    await this.git(`--work-tree=${made}`, 'checkout', '--quiet', '--force', commit, '--', '.')
    await this.host.rename(made, target)
  }

  /** Files of commits that were replaced some time ago. */
  private async clean(): Promise<void> {
    const folder = join(this.folder, 'files')
    if ((await this.host.stat(folder)) === undefined) return
    const wanted = new Set(decodeBytes((await this.run('for-each-ref', '--format=%(objectname)')).stdout).split('\n'))
    for (const name of await this.host.list(folder)) {
      const found = await this.host.stat(join(folder, name))
      if (wanted.has(name) || !found || Date.now() / 1000 - found.mtime < KEPT) continue
      await this.host.removeDirectory(join(folder, name), { recursive: true })
    }
  }

  /** The login for a web server, from the options or the URL, and the URL without it: any user may read the words of a command. */
  private get login(): { address: string; user: string; password: string } {
    const { url, user, password } = this.remote
    if (!/^https?:/.test(url)) return { address: url, user: '', password: '' }
    const bare = new URL(url)
    const [ownUser, ownPassword] = [bare.username, bare.password].map(decodeURIComponent)
    bare.username = bare.password = ''
    return user === ''
      ? { address: bare.href, user: ownUser!, password: ownPassword! }
      : { address: bare.href, user, password }
  }

  private async git(...words: string[]): Promise<void> {
    const { retcode, stderr } = await this.run(...words)
    if (retcode === 0) return
    const { url } = this.remote
    const { password } = this.login
    const said = decodeBytes(stderr).trim()
    const why = password === '' ? said : said.replaceAll(encodeURIComponent(password), '<redacted>')
    throw new SaltError('CommandExecutionError', `Git failed on ${withoutLogin(url)}: ${why}`)
  }

  /** Have git ask a helper for the login, for this server alone; the helper finds it in its environment, which others cannot read. */
  private loginSettings(env: Map<string, string>): string[] {
    const { address, user, password } = this.login
    if (user === '') return []
    env.set('BRINE_GIT_USER', user).set('BRINE_GIT_PASSWORD', password)
    const helper = `!printf 'username=%s\\npassword=%s\\n' "$BRINE_GIT_USER" "$BRINE_GIT_PASSWORD";:`
    return ['credential.helper=', `credential.${new URL(address).origin}.helper=${helper}`]
  }

  private run(...words: string[]) {
    const { privateKey, verifySsl, proxy } = this.remote
    // each process has its own list of what it checked out
    const env = new Map([
      ['GIT_TERMINAL_PROMPT', '0'],
      ['GIT_INDEX_FILE', join(this.folder, `index.${process.pid}`)],
    ])
    if (privateKey !== '') {
      env.set(
        'GIT_SSH_COMMAND',
        `ssh -i '${privateKey.replaceAll("'", "'\\''")}' -o BatchMode=yes -o IdentitiesOnly=yes`,
      )
    }
    const settings = [...(verifySsl ? [] : ['http.sslVerify=false']), ...this.loginSettings(env)]
    // it may have a password in it
    if (proxy !== '')
      env.set('GIT_CONFIG_COUNT', '1').set('GIT_CONFIG_KEY_0', 'http.proxy').set('GIT_CONFIG_VALUE_0', proxy)
    const argv = ['git', ...settings.flatMap((setting) => ['-c', setting]), `--git-dir=${this.repository}`, ...words]
    return this.host.run({ argv, cwd: this.repository, env })
  }
}

const withoutLogin = (url: string): string => url.replace(/\/\/[^/@]*@/, '//')
