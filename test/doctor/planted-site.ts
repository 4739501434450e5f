// A site in a temporary directory, from one file of trees/: its files, and all findings that the doctor has to make of it.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Dict, encodeMsgpack, isDict, isList, str } from '../../src/data/mod.ts'
import { type DoctorRequest, examine, type Finding, Findings } from '../../src/doctor/mod.ts'
import { load } from '../../src/yaml/mod.ts'

export interface PlantedTree {
  files: Record<string, string>
  /** `LEVEL CODE PLACE`. */
  expects: string[]
}

export function readPlanted(file: string): PlantedTree {
  const data = load(readFileSync(file, 'utf8')) as Dict
  const [files, expects] = [data.get('files')!, data.get('expects')!]
  return {
    files: Object.fromEntries(isDict(files) ? [...files].map(([path, text]) => [str(path), str(text)]) : []),
    expects: isList(expects) ? expects.map(str) : [],
  }
}

export class PlantedSite {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'brine-doctor-')))

  /** Write files; `$DIR` is the folder of the site, and a file `*.p` is packed from YAML, as the master keeps it. */
  write(files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.dir, path)
      mkdirSync(dirname(file), { recursive: true })
      const whole = text.replaceAll('$DIR', this.dir)
      writeFileSync(file, path.endsWith('.p') ? encodeMsgpack(load(whole), 'bus') : whole)
      chmodSync(file, path.startsWith('open/') ? 0o644 : 0o600)
    }
  }

  request(changes: Partial<DoctorRequest> = {}): DoctorRequest {
    const nothing = {
      fileRoots: [],
      pillarRoots: [],
      grains: [],
      minion: undefined,
      isOnline: false,
      scratch: '',
      doesImport: false,
    }
    return { configDir: join(this.dir, 'etc'), root: '/', ...nothing, ...changes }
  }

  /** All findings, by the checks in this process. */
  async examined(changes: Partial<DoctorRequest> = {}): Promise<Finding[]> {
    const findings = new Findings()
    const listener = {
      found: (one: Finding) => findings.add(one),
      began: () => {},
      entered: () => {},
      counted: () => {},
    }
    await examine({ request: this.request(changes), skip: [], first: 0 }, listener)
    return findings.sorted()
  }

  /** A finding as trees/ has it. */
  shown({ level, code, file, line }: Finding): string {
    const place =
      file === undefined ? '-' : `${file.replace(`${this.dir}/`, '')}${line === undefined ? '' : `:${line}`}`
    return `${level} ${code} ${place}`
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }
}
