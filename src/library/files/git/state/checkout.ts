// A checkout at a path, and the calls of the git module for it.
import { recover } from '../../../../base/mod.ts'
import { type Dict, isFailure, str, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

export interface Access {
  user: string | null
  password: string | null
  identity: Value
  https_user: string | null
  https_pass: string | null
  output_encoding: string | null
}

type Keywords = Readonly<Record<string, Value>>

export class Checkout {
  readonly target: string
  private readonly ctx: StateContext
  private readonly access: Access

  constructor(ctx: StateContext, target: string, access: Access) {
    this.ctx = ctx
    this.target = target
    this.access = access
  }

  /** Call a function of the git module in this checkout. */
  async call(name: string, args: readonly Value[] = [], kwargs: Keywords = {}): Promise<Value> {
    const { user, password, output_encoding } = this.access
    return this.ctx.call(`git.${name}`, [this.target, ...args], { user, password, output_encoding, ...kwargs })
  }

  async text(name: string, args: readonly Value[] = [], kwargs: Keywords = {}): Promise<string> {
    return str(await this.call(name, args, kwargs))
  }

  /** Return the answer of a function, or null when git refuses. */
  async ask(name: string, args: readonly Value[] = [], kwargs: Keywords = {}): Promise<string | null> {
    return recover(isFailure, null, () => this.text(name, args, { ignore_retcode: true, ...kwargs }))
  }

  /** Call a function that reaches the remote. */
  async remoteCall(name: string, args: readonly Value[] = [], kwargs: Keywords = {}): Promise<Value> {
    return this.call(name, args, { identity: this.access.identity, saltenv: this.ctx.env, ...kwargs })
  }

  async clone(url: string, opts: readonly string[] | null): Promise<void> {
    const { https_user, https_pass } = this.access
    await this.remoteCall('clone', [url], { opts: opts === null ? null : [...opts], https_user, https_pass })
  }

  async revision(): Promise<string | null> {
    return this.ask('revision')
  }

  async branch(): Promise<string | null> {
    return this.ask('current_branch')
  }

  async branches(): Promise<string[]> {
    return (await this.call('list_branches')) as string[]
  }

  async tags(): Promise<string[]> {
    return (await this.call('list_tags')) as string[]
  }

  async remotes(): Promise<Dict> {
    return (await this.call('remotes', [], { redact_auth: false })) as Dict
  }

  async isRepository(marker: string): Promise<boolean> {
    if ((await this.ctx.host.stat(`${this.target}/${marker}`))?.type === 'directory') return true
    const { user, password, output_encoding } = this.access
    return (await this.ctx.call('git.is_worktree', [this.target], { user, password, output_encoding })) === true
  }

  async updateSubmodules(): Promise<void> {
    await this.remoteCall('submodule', ['update'], { opts: ['--init', '--recursive'] })
  }
}
