// Broken trees as data: each is one file of trees/ with the files of the tree, the call, Salt 3008.2's exit code, and
// the expected output. None of them may leave anything behind in $DIR/root, where all their states write.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Dict, isDict, str, type Value } from '../../src/data/mod.ts'
import { load } from '../../src/yaml/mod.ts'
import { Sandbox } from '../sandbox/sandbox.ts'

const folder = join(import.meta.dirname, 'trees')
const names = readdirSync(folder).map((file) => file.replace(/[.]yaml$/, ''))
const MINION = `id: web1
root_dir: $DIR/minion
file_roots: {base: [$DIR/salt]}
pillar_roots: {base: [$DIR/pillar]}
`

interface BrokenTree {
  files: Record<string, string>
  call: string
  exit: Value
  says: string[]
}

function readTree(name: string): BrokenTree {
  const data = load(readFileSync(join(folder, `${name}.yaml`), 'utf8')) as Dict
  const files = data.get('files')!
  return {
    files: Object.fromEntries(isDict(files) ? [...files].map(([path, text]) => [str(path), str(text)]) : []),
    call: str(data.get('call')!),
    exit: data.get('exit')!,
    says: (data.get('says') as Value[]).map(str),
  }
}

describe('a broken tree', () => {
  let sandbox: Sandbox
  afterEach(() => sandbox.remove())

  test('is there in forty kinds at least', () => {
    sandbox = new Sandbox()
    expect(names.length).toBeGreaterThanOrEqual(40)
  })

  test.each(names)('is reported with its place and leaves nothing half done: %s', async (name) => {
    sandbox = new Sandbox()
    const { files, call, exit, says } = readTree(name)
    sandbox.write({ 'etc/minion': MINION, ...files })
    const { code, out, err } = await sandbox.call(...call.split(' '))
    const said = (out + err).replaceAll(sandbox.dir, '$DIR')
    for (const text of says) expect(said).toContain(text)
    expect(said).not.toMatch(/^ +at .*[.]ts:/m)
    expect(code).toBe(exit)
    expect(existsSync(join(sandbox.dir, 'root'))).toBe(false)
  })
})
