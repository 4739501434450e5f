// The stand-in for a heavy part of Node in a short command behaves like that part.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'brine-loader-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Return the output of a program of one part. */
function printed(part: string, start = "require('./program-loader.cjs').start('program')"): string {
  copyFileSync(join(import.meta.dirname, 'program-loader.cjs'), join(folder, 'program-loader.cjs'))
  writeFileSync(join(folder, 'program.js'), part)
  return execFileSync(process.execPath, ['--expose-gc', '-e', start], { cwd: folder, encoding: 'utf8' })
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

test('a daemon finds a late part in a pack of its own version after an upgrade', () => {
  const site = join(folder, 'site')
  const [parts, before] = [join(site, 'dist', 'parts'), join(site, 'before', 'parts')]
  for (const place of [parts, before]) mkdirSync(place, { recursive: true })
  const pack = (text: string): string => `({"late.js":function(exports,require,module){exports.text=${text}\n}})\n`
  copyFileSync(join(import.meta.dirname, 'program-loader.cjs'), join(parts, 'program-loader.cjs'))
  writeFileSync(join(parts, 'packs.json'), '{"late.js":"pack-OLD.js"}\n')
  writeFileSync(join(before, 'pack-OLD.js'), pack('"old"'))
  const upgrade = { 'packs.json': '{"late.js":"pack-NEW.js"}\n', 'pack-NEW.js': pack('"new"') }
  const writes = Object.entries(upgrade).map(([name, text]) => [join(parts, name), text])
  writeFileSync(
    join(parts, 'daemon.js'),
    `const { writeFileSync } = require('node:fs')
    for (const [file, text] of ${JSON.stringify(writes)}) writeFileSync(file, text)
    process.stdout.write(require('./late.js').text)`,
  )
  const start = "require('./program-loader.cjs').start('daemon', { lasts: true })"
  const run = (): string => execFileSync(process.execPath, ['-e', start], { cwd: parts, encoding: 'utf8' })
  expect([run(), run()]).toEqual(['old', 'new'])
})

/** Keeps new objects for a while, as requests that are waited for do, and prints the bytes of the space for new objects. */
const KEEPS_NEW_OBJECTS = `
  const { getHeapSpaceStatistics } = require('node:v8')
  const turn = () => new Promise((done) => setTimeout(done, 1))
  async function main() {
    gc()
    await turn()
    for (let i = 0, kept = []; i < 150; i++) {
      if (kept.length > 8000) kept = []
      for (let j = 0; j < 5000; j++) kept.push({ i, list: [j] })
      await turn()
    }
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size)
  }
  main()
`

/** Starts the program as a daemon that has run for so many milliseconds without a collection of the whole heap. */
const daemonAfter = (ms: number): string => `
  const { performance } = require('node:perf_hooks')
  const now = performance.now.bind(performance)
  performance.now = () => now() - ${ms}
  require('./program-loader.cjs').start('program', { lasts: true })
`

test('the space for new objects of a daemon stays small unless the daemon is busy', () => {
  const calm = Number(printed(KEEPS_NEW_OBJECTS, daemonAfter(60_000)))
  const busy = Number(printed(KEEPS_NEW_OBJECTS, daemonAfter(0)))
  expect(calm).toBeLessThanOrEqual(16 << 20)
  expect(busy).toBeGreaterThan(16 << 20)
})

test('parts of a pack load each other, and a part outside of it', () => {
  const pack = {
    'program.js': "process.stdout.write(require('./word.js').word + require('./alone.js').mark)",
    'word.js': "exports.word = 'hello'",
  }
  const functions = Object.entries(pack).map(
    ([name, text]) => `${JSON.stringify(name)}:function(exports,require,module){${text}\n}`,
  )
  writeFileSync(join(folder, 'pack-1.js'), `({${functions.join(',')}})`)
  writeFileSync(join(folder, 'packs.json'), JSON.stringify({ 'program.js': 'pack-1.js', 'word.js': 'pack-1.js' }))
  writeFileSync(join(folder, 'alone.js'), "exports.mark = '!'")
  try {
    expect(printed('throw new Error("the file beside the pack")')).toBe('hello!')
  } finally {
    rmSync(join(folder, 'packs.json'))
  }
})

/** Calls many functions once, and prints whether their compiled forms are dropped, and whether one still works. */
const CALLS_FUNCTIONS_ONCE = `
  const { getHeapCodeStatistics } = require('node:v8')
  const bytes = () => getHeapCodeStatistics().bytecode_and_metadata_size
  const body = (i) => Array.from({ length: 20 }, (_, j) => 'x = x * ' + (i + j) + ' + ' + j).join(';')
  const text = Array.from({ length: 2000 }, (_, i) => 'function f' + i + '(x) {' + body(i) + '; return x }').join('\\n')
  const all = new Function(text + '\\nreturn [' + Array.from({ length: 2000 }, (_, i) => 'f' + i) + ']')()
  const sum = () => all.reduce((total, each) => total + (each(1) % 2), 0)
  const first = sum()
  const compiled = bytes()
  let turns = 0
  const turn = () => {
    if (bytes() > compiled / 2 && turns++ < 200) setTimeout(turn, 50)
    else console.log(bytes() <= compiled / 2 ? 'dropped' : 'kept', sum() === first)
  }
  turn()
`

test('a quiet daemon drops the compiled forms of its start', () => {
  const looksOften = 'const every = setInterval; globalThis.setInterval = (work) => every(work, 20);'
  expect(printed(CALLS_FUNCTIONS_ONCE, looksOften + daemonAfter(60_000))).toBe('dropped true\n')
})
