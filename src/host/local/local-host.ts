// The machine this process runs on.
import { hostname } from 'node:os'
import type { Group, User } from '../accounts.ts'
import type { Command, CommandResult, Host } from '../host.ts'
import { findProgram } from '../which.ts'
import { localGroup, localGroups, localUser, localUsers } from './local-accounts.ts'
import { runLocal, startLocal } from './local-commands.ts'
import { LocalFiles } from './local-files.ts'

export class LocalHost extends LocalFiles implements Host {
  readonly readOnly: boolean = false

  run(command: Command): Promise<CommandResult> {
    return runLocal(command)
  }

  start(command: Command): Promise<number> {
    return startLocal(command)
  }

  which(program: string): Promise<string | undefined> {
    return findProgram(this, program)
  }

  async user(nameOrId: string | number): Promise<User | undefined> {
    return localUser(nameOrId)
  }

  async group(nameOrId: string | number): Promise<Group | undefined> {
    return localGroup(nameOrId)
  }

  async users(): Promise<User[]> {
    return localUsers()
  }

  async groups(): Promise<Group[]> {
    return localGroups()
  }

  async identity(): Promise<{ uid: number; gid: number }> {
    return { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
  }

  async hostname(): Promise<string> {
    return hostname()
  }

  now(): number {
    return Date.now() / 1000
  }

  async env(): Promise<ReadonlyMap<string, string>> {
    return new Map(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  async setEnv(name: string, value: string | null): Promise<void> {
    if (value === null) delete process.env[name]
    else process.env[name] = value
  }

  async umask(): Promise<number> {
    return process.umask()
  }
}
