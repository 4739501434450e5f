// The question of salt-key before keys are accepted or deleted, by how the input answers it.
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const PROGRAM = join(import.meta.dirname, '../../dist/salt-key.js')

let root: string
const folder = (name: string): string => join(root, 'pki', name)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-key-'))
  for (const name of ['minions', 'minions_pre']) mkdirSync(folder(name), { recursive: true })
  writeFileSync(join(root, 'master'), JSON.stringify({ root_dir: root, pki_dir: join(root, 'pki') }))
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(join(folder('minions_pre'), 'web1'), publicKey.export({ type: 'spki', format: 'pem' }))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const answered = (input: string) =>
  spawnSync(process.execPath, [PROGRAM, '-c', root, '-A'], { input, encoding: 'utf8' })

it('An input that ends without an answer accepts no key', () => {
  const { status, stderr } = answered('')
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'Nothing was changed: the question got no answer. Use -y to ask nothing\n',
  })
  expect(readdirSync(folder('minions'))).toEqual([])
})

it.each(['\n', 'y\n', 'y'])('The answer %j accepts keys', (input) => {
  expect(answered(input).status).toBe(0)
  expect(readdirSync(folder('minions'))).toEqual(['web1'])
})

it('The answer "n" accepts no key', () => {
  expect(answered('n\n').status).toBe(0)
  expect(readdirSync(folder('minions'))).toEqual([])
})
