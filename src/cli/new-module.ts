// `brine new KIND NAME`: the first text of a module of users' own, in TypeScript with types.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TEMPLATES } from './new-module/templates.ts'

const USAGE = `Usage: brine new KIND NAME [FOLDER]

Writes FOLDER/_modules/NAME.ts, or into the folder of another kind; FOLDER is the current one unless given, and mostly a
root of the file server. saltutil.sync_all brings it to the minions, salt-run saltutil.sync_all to the master.

Kinds: ${Object.keys(TEMPLATES).join(', ')}
`

export async function run([kind = '', name = '', folder = '.']: readonly string[]): Promise<number> {
  const template = Object.hasOwn(TEMPLATES, kind) ? TEMPLATES[kind] : undefined
  if (!template || !/^[a-z_]\w*$/.test(name)) {
    process.stderr.write(USAGE)
    return 64
  }
  const file = join(folder, template.folder, `${name}.ts`)
  if (existsSync(file)) {
    process.stderr.write(`${file} is there already\n`)
    return 1
  }
  mkdirSync(join(folder, template.folder), { recursive: true })
  writeFileSync(file, template.text(name))
  process.stdout.write(`${file}\n`)
  return 0
}
