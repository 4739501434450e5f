// The beginning of a one-file program: the parts of the build are assets inside of the executable. Folders that others than Node read,
// such as the worker of users' Python modules, are written to a private directory when they are needed.
'use strict'
const { createHash } = require('node:crypto')
const { lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { homedir, tmpdir } = require('node:os')
const { basename, dirname, join } = require('node:path')
const { getAsset, getRawAsset } = require('node:sea')
const { start } = require('../build/program-loader.cjs')

const { programs, names } = JSON.parse(getAsset('one-file.json', 'utf8'))
const known = new Set(names)

/** Return the bytes or the text of a part; the loader asks for compiled forms that may be absent. */
function read(file, encoding) {
  const name = basename(file)
  if (known.has(name)) return encoding ? getAsset(name, encoding) : Buffer.from(getRawAsset(name))
  throw Object.assign(new Error(`${name} is not in this program`), { code: 'ENOENT' })
}

/** Whether a directory is one that only this user can write to. */
function isOwn(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() && stat.uid === process.geteuid() && (stat.mode & 0o077) === 0
}

/** Return the directory for what is written out: one that stays, or where there is none, one for this process. */
function cacheFolder() {
  const base = process.geteuid() === 0 ? '/var/cache' : process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(base, 'brine')
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true })
    if (isOwn(folder)) return folder
  } catch (error) {
    // a home that is missing or read-only
    if (!['EACCES', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS'].includes(error.code)) throw error
  }
  const own = mkdtempSync(join(tmpdir(), 'brine-'))
  process.once('exit', () => rmSync(own, { recursive: true, force: true }))
  return own
}

const extracted = new Map()

/** Write a folder under the name of its content, unless an earlier process did. */
function extract(folder) {
  const before = extracted.get(folder)
  if (before !== undefined) return before
  const text = getAsset(`${folder}.json`, 'utf8')
  const cache = cacheFolder()
  const target = join(cache, `${folder}-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`)
  if (!isOwn(target)) {
    const fresh = mkdtempSync(join(cache, `${folder}-new-`))
    for (const [path, content] of Object.entries(JSON.parse(text))) {
      mkdirSync(dirname(join(fresh, path)), { recursive: true, mode: 0o700 })
      writeFileSync(join(fresh, path), content, { mode: 0o600 })
    }
    try {
      renameSync(fresh, target)
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true })
      // another process was faster
      if (!isOwn(target)) throw error
    }
  }
  extracted.set(folder, target)
  return target
}

globalThis.brineOneFile = { extract }

/** The name that the program is called by chooses what it does; under any other name it is the first of its programs. */
const called = basename(process.argv0)
const { name, lasts } = programs.find((program) => program.name === called) ?? programs[0]
start(name, { lasts, folder: '/', read })
