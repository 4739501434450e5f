// Scripts that package managers run, put together from the functions and the parts in packaging/. Each is whole in itself: on a purge
// no other file of the package is there.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Format } from './layout.ts'
import type { PackageName } from './relations.ts'

/** The moments at which scripts run, by the names of the files. */
const MOMENTS: Readonly<Record<Format, readonly string[]>> = {
  deb: ['preinst', 'postinst', 'prerm', 'postrm'],
  rpm: ['pre', 'post', 'preun', 'postun', 'posttrans'],
}

const SHARED: Readonly<Record<Format, readonly string[]>> = {
  deb: ['scripts/files.sh', 'scripts/user.sh', 'deb/service.sh'],
  rpm: ['scripts/files.sh', 'scripts/user.sh', 'rpm/service.sh'],
}

/** Return the scripts of a package by their moments. */
export function scriptsOf(root: string, format: Format, name: PackageName): Map<string, string> {
  const read = (path: string): string => readFileSync(join(root, 'packaging', path), 'utf8')
  const shared = SHARED[format].flatMap((path) => functionsOf(read(path)))
  const scripts = new Map<string, string>()
  for (const moment of MOMENTS[format]) {
    const path = `${format}/${name}.${moment}`
    if (!existsSync(join(root, 'packaging', path))) continue
    const body = read(path)
    scripts.set(moment, ['#!/bin/sh', 'set -e', '', ...needed(shared, body), body].join('\n'))
  }
  return scripts
}

interface Part {
  /** The names that it defines. */
  names: string[]
  text: string
}

/** The parts of a file of functions, in order: each paragraph that defines something, without the head of the file. */
function functionsOf(text: string): Part[] {
  return text.split(/\n\n(?=#|\w)/).flatMap((part) => {
    const names = [...part.matchAll(/^(\w+)(?:\(\)|=)/gm)].map(([, name]) => name!)
    return names.length > 0 ? [{ names, text: `${part.trim()}\n` }] : []
  })
}

/** The parts that a script uses, and those that these use. */
function needed(parts: readonly Part[], body: string): string[] {
  const isUsed = new Set<Part>()
  const search = (text: string): void => {
    for (const part of parts) {
      if (isUsed.has(part) || !part.names.some((name) => new RegExp(`\\b${name}\\b`).test(withoutComments(text))))
        continue
      isUsed.add(part)
      search(part.text)
    }
  }
  search(body)
  return parts.filter((part) => isUsed.has(part)).map(({ text }) => text)
}

const withoutComments = (text: string): string => text.replace(/^\s*#.*$/gm, '')
