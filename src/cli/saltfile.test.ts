import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { readCommandLine } from './command-lines.ts'
import { SALT_CALL } from './programs/salt-call.ts'
import { addSaltfile } from './saltfile.ts'

test('a Saltfile sets options that the command line does not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-saltfile-'))
  const file = join(folder, 'Saltfile')
  writeFileSync(file, 'salt-call:\n  local: true\n  output: json\n  id: from-file\nsalt: {output: raw}\n')
  try {
    const line = readCommandLine(SALT_CALL, ['--saltfile', file, '--id=mine', 'test.ping'], { version: '1' })
    addSaltfile(SALT_CALL, line, silentLog)
    const { local, output, id } = Object.fromEntries(line.values)
    expect({ local, output, id }).toEqual({ local: true, output: 'json', id: 'mine' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an explicit Saltfile must exist', () => {
  const line = readCommandLine(SALT_CALL, ['--saltfile', '/no/Saltfile', 'test.ping'], { version: '1' })
  expect(() => addSaltfile(SALT_CALL, line, silentLog)).toThrow("'/no/Saltfile' file does not exist.")
})
