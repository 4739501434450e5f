// A token store that a user's own module or an extension provides; the option `eauth_tokens` names it. Its functions
// are `mk_token`, `get_token`, `rm_token` and `list_tokens` in Salt's form. If the store fails, every token is refused.
import { type Log, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, float, isDict, isList, numberOf, str, type Value } from '../../data/mod.ts'
import { type BoundPlugin, boundPlugin, mayBeOwn } from '../../pybridge/mod.ts'
import type { Bank } from '../../store/mod.ts'
import { type TokenStore, Tokens } from './tokens.ts'

/** Valid tokens: a store may use a token as a part of a path or a key. */
const TOKEN = /^[\w=+-]{16,512}$/

/** Seconds that a login waits for the store. */
const MOST_SECONDS = 15

export const BUILT_IN_TOKENS: readonly string[] = ['localfs']

export class OwnTokens implements TokenStore {
  private readonly opts: Dict
  private readonly log: Log
  private readonly now: () => number
  private opened: Promise<BoundPlugin> | undefined

  constructor(opts: Dict, log: Log, now: () => number = () => Date.now() / 1000) {
    this.opts = opts
    this.log = log
    this.now = now
  }

  private plugin(): Promise<BoundPlugin> {
    const open = async (): Promise<BoundPlugin> => {
      const { opts, log } = this
      const name = option(opts, 'eauth_tokens')
      const plugin = await boundPlugin({ family: 'tokens', name, builtIn: BUILT_IN_TOKENS, opts, log })
      if (plugin) return plugin
      throw new Error(`it does not serve`)
    }
    this.opened ??= open()
    this.opened.catch(() => {
      this.opened = undefined
    })
    return this.opened
  }

  /**
   * Call a function of the store; return null on an error, which is logged. The text of a token is a secret and is not
   * logged.
   */
  private async ask(fun: string, ...args: Value[]): Promise<Value> {
    try {
      return await (await this.plugin()).call(fun, [this.opts, ...args], { most: MOST_SECONDS })
    } catch (error) {
      const name = option(this.opts, 'eauth_tokens')
      this.log('error', `The store of tokens '${name}' failed at ${fun}: ${toError(error).message}`)
      return null
    }
  }

  async make(facts: Dict, seconds: number): Promise<Dict | ''> {
    const start = this.now()
    const data: Dict = new Map<Value, Value>([['start', float(start)], ['expire', float(start + seconds)], ...facts])
    const made = await this.ask('mk_token', data)
    const token = made !== null && isDict(made) ? made.get('token') : undefined
    if (token !== undefined && TOKEN.test(str(token))) return new Map([...data, ['token', token]])
    if (made !== null) this.log('error', `The store of tokens '${option(this.opts, 'eauth_tokens')}' gave no token`)
    return ''
  }

  async find(token: string): Promise<Dict | undefined> {
    if (!TOKEN.test(token)) return undefined
    const data = await this.ask('get_token', token)
    if (data === null || !isDict(data) || (data.get('token') ?? token) !== token) return undefined
    const expire = numberOf(data.get('expire') ?? null)
    if (expire === undefined || expire < this.now()) {
      if (data.size > 0) await this.ask('rm_token', token)
      return undefined
    }
    return new Map([...data, ['token', token]])
  }

  async revoke(token: string): Promise<boolean> {
    const isKnown = (await this.find(token)) !== undefined
    if (isKnown) await this.ask('rm_token', token)
    return isKnown
  }

  async prune(): Promise<void> {
    const all = await this.ask('list_tokens')
    // reading an expired token removes it
    for (const token of isList(all) ? all : []) await this.find(str(token))
  }
}

/**
 * Return the store that the options name; local files if it does not exist. The start of the master reports the unknown
 * name.
 */
export function tokenStore(opts: Dict, log: Log, bank: Bank): TokenStore {
  const name = option(opts, 'eauth_tokens')
  if (mayBeOwn({ family: 'tokens', name, builtIn: BUILT_IN_TOKENS, opts })) return new OwnTokens(opts, log)
  return new Tokens(bank, option(opts, 'token_dir'))
}
