// A file system that is just large enough to run a shell in.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Return the path of a program; for a missing one, the path in /usr/sbin. */
export const place = (name: string): string =>
  [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'].map((folder) => join(folder, name)).find(existsSync) ??
  `/usr/sbin/${name}`

const PROGRAMS = [
  ...['sh', 'cat', 'chmod', 'mkdir', 'rm', 'sha256sum', 'sleep', 'test'],
  // the programs of a machine without Salt besides its shell
  ...['chown', 'cp', 'date', 'dd', 'env', 'grep', 'head', 'hostname', 'id', 'ln', 'ls', 'mv', 'od', 'readlink', 'sed'],
  ...['sort', 'stat', 'tail', 'touch', 'tr', 'uname', 'wc'],
]

/** A file system with some programs of this machine and the libraries that they need. */
export function makeRoot(root: string): void {
  for (const name of PROGRAMS) {
    const program = realpathSync(place(name))
    const needed = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+(?= \(0x)/g) ?? []
    for (const library of needed) {
      mkdirSync(join(root, dirname(library)), { recursive: true })
      cpSync(realpathSync(library), join(root, library))
    }
    mkdirSync(join(root, 'bin'), { recursive: true })
    cpSync(program, join(root, 'bin', name))
  }
  for (const folder of ['tmp', 'etc']) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'etc/os-release'), 'ID=toolbox\nNAME=Toolbox\nVERSION_ID=1\n')
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
}
