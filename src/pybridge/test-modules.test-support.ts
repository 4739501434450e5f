// A folder of users' own modules, and a registry over it, for tests.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { type ModuleTable, moduleTable, Registry, type RegistryContext } from '../loader/mod.ts'
import { userModules } from './user-modules.ts'

export class ModuleFolder {
  readonly root: string = mkdtempSync(join(tmpdir(), 'brine-modules-'))
  readonly lines: string[] = []
  readonly log: Log = (level, text) => void this.lines.push(`${level}: ${text}`)
  readonly opts: Dict = new Map<Value, Value>([
    ['id', 'web1'],
    ['cachedir', this.root],
    ['extension_modules', this.root],
    ['log_level', 'info'],
    ['file_roots', new Map([['base', []]])],
  ])

  write(path: string, text: string): void {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  async registry(more: Partial<RegistryContext> = {}, table: ModuleTable = moduleTable): Promise<Registry> {
    const registry = new Registry(table, {
      opts: this.opts,
      grains: new Map<Value, Value>([
        ['id', 'web1'],
        ['kernel', 'Linux'],
      ]),
      pillar: new Map<Value, Value>([['colour', 'blue']]),
      log: this.log,
      userModules,
      ...more,
    })
    await registry.refresh()
    return registry
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}
