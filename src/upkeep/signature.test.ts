import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GpgHome, noGpg } from '../../test/gpg.ts'
import { checkSignature } from './signature.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-signed-'))
const file = join(folder, 'brine-9.9.9.tgz')
let gpg: GpgHome
let [own, binary, other] = ['', '', '']

beforeAll(() => {
  if (noGpg !== undefined) return
  gpg = new GpgHome(join(folder, 'gpg'))
  own = gpg.makeKey('own@example.com')
  binary = join(folder, 'own.gpg')
  writeFileSync(binary, gpg.run('--export', 'own@example.com'))
  other = gpg.makeKey('other@example.com')
  writeFileSync(file, 'a package')
  gpg.sign('own@example.com', file)
})
afterAll(() => {
  gpg?.close()
  rmSync(folder, { recursive: true, force: true })
})

const check = (keyring: string, of = file, signature = `${file}.asc`): Promise<void> =>
  checkSignature(of, signature, keyring)

describe.skipIf(noGpg !== undefined)('the signature of a package', () => {
  it('counts when it is of a trusted key, armored or not, also among others', async () => {
    await check(own)
    await check(binary)
    const both = join(folder, 'both.asc')
    writeFileSync(both, Buffer.concat([readFileSync(other), readFileSync(own)]))
    await check(both)
  })

  it('does not count when another key made it', async () => {
    await expect(check(other)).rejects.toThrow('the signature is not of a trusted key')
  })

  it('does not count for another file', async () => {
    const changed = join(folder, 'changed.tgz')
    writeFileSync(changed, 'another package')
    await expect(check(own, changed)).rejects.toThrow('the package was changed')
  })

  it('is needed', async () => {
    await expect(check(own, file, join(folder, 'absent.asc'))).rejects.toThrow('the package has no signature')
    const empty = join(folder, 'empty.asc')
    writeFileSync(empty, '')
    await expect(check(own, file, empty)).rejects.toThrow('the signature is not valid')
  })

  it('is not checked against keys that others can change, that are missing, or that are none', async () => {
    const open = join(folder, 'open.asc')
    writeFileSync(open, readFileSync(own))
    chmodSync(open, 0o666)
    await expect(check(open)).rejects.toThrow('other users of this machine can change the file')
    await expect(check(join(folder, 'no-such'))).rejects.toThrow('there is no such file')
    await expect(check(file)).rejects.toThrow('has no public OpenPGP key')
  })
})
