// What stands for a heavy part of Node in a short command behaves as that part does.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'brine-loader-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What a program of one part prints. */
function printed(part: string): string {
  copyFileSync(join(import.meta.dirname, 'program-loader.cjs'), join(folder, 'program-loader.cjs'))
  writeFileSync(join(folder, 'program.js'), part)
  return execFileSync(process.execPath, ['-e', "require('./program-loader.cjs').start('program')"], {
    cwd: folder,
    encoding: 'utf8',
  })
}

test.each([
  ['is used', "process.stdout.write(require('node:crypto').createHash('md5').update('x').digest('hex'))", '9dd4e461'],
  ['is asked for names', "process.stdout.write(String('connect' in require('node:tls')))", 'true'],
  ['is copied', "process.stdout.write(typeof { ...require('node:tls') }.rootCertificates)", 'object'],
  [
    'is patched for all',
    "require('node:tls').connect = () => 'mine'; process.stdout.write(require('node:tls').connect())",
    'mine',
  ],
  [
    'is not loaded before',
    "require('node:tls'); process.stdout.write(String(process.moduleLoadList.includes('NativeModule tls')))",
    'false',
  ],
])('a part of Node %s', (_what, part, expected) => {
  expect(printed(part)).toContain(expected)
})
