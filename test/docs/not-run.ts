// Commands of documents that no test of this folder runs, and why: a page with such commands has a line here.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

const PROGRAMS =
  /^\s*(?:[$#] )?(?:[A-Z_]+=\S+ )*(?:\.brine\/bin\/)?(?:salt(?:-\w+)?|brine|npm|npx|node|apt-get|apt|dpkg|dnf|rpm|docker|podman|systemctl|curl|gpg|vault|promtool|install|ln|cp|sha256sum|bash) (?!cannot)\S/

export const NOT_RUN: Readonly<Record<string, string>> = {
  'README.md': '`npm run up` makes the site of these tests; `state.event` does not end',
  'docs/api-events.md': 'Streams do not end, and metrics and hooks need options; test/api sends these requests',
  'docs/api-v1.md': 'Needs a user with few rights, or another package of npm; test/api sends such requests',
  'docs/api.md': 'Needs a host with an SSH server; test/ssh/other-ways.test.ts sends the request',
  'docs/backup.md': 'Needs a key of the reader, and a stopped master; test/integration/backup.test.ts does both',
  'docs/cloud.md':
    'Makes machines; test/integration/cloud.test.ts and cloud-deploy.test.ts run these commands on drivers for tests, npm run lab -- test cloud boots machines',
  'docs/cluster.md': 'Needs three masters with NATS servers; test/cluster has them',
  'docs/containers.md': 'Needs containers; test/integration/dockerd.test.ts and chroot.test.ts call the functions',
  'docs/doctor.md': 'Reads /etc/salt; test/doctor runs the command on sites of its own',
  'docs/events.md': 'Follows events without an end; test/integration/events.test.ts has these arguments',
  'docs/external-data.md':
    'Needs profiles and a Redis server; test/integration/external-data.test.ts and shared-cache.test.ts have both',
  'docs/install-other.md':
    'Takes minutes, root or other hosts: npm run npm-package, npm run image -- --try, npm run lab -- test bootstrap',
  'docs/install.md':
    'Takes minutes and whole hosts: npm run lab -- test packages; tools/apt-repository/make.test.ts has the repository',
  'docs/kubernetes.md': 'Needs an API server; test/kubernetes calls the functions on one of ours',
  'docs/monitoring.md':
    'Needs the option metrics, promtool or protoc; test/integration/monitoring.test.ts and telemetry.test.ts have them',
  'docs/operations.md': 'The bench takes an hour',
  'docs/rosters.md': 'Needs hosts with SSH servers; test/conformance/cases/ssh and src/ssh/roster have these targets',
  'docs/salt-ssh.md':
    'Needs hosts with SSH servers; npm run lab -- test ssh, test/ssh and test/integration/resources.test.ts have them',
  'docs/scaling.md': 'The bench takes an hour',
  'docs/simulate.md': 'Fleets run until somebody ends them; test/simulate starts them with these options',
  'docs/syndic.md': 'Needs masters of two tiers; test/integration/syndic.test.ts has three',
  'docs/tutorial.md': '`npm run up` makes the site of these tests',
  'docs/upgrades.md':
    'Needs a second version or a whole host: test/integration/upgrade.test.ts, npm run lab -- test deb-upgrade',
  'docs/vault.md':
    'Needs the program vault; test/integration/vault-site.test.ts does the same against a server of ours',
}

/** Blocks with commands that are not run: the path, the line, and the first command. */
export function unrunBlocks(): [path: string, line: number, command: string][] {
  const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((file) => `docs/${file}`)]
  return pages.filter((path) => path.endsWith('.md')).flatMap((path) => blocksOf(path))
}

function blocksOf(path: string): [string, number, string][] {
  const found: [string, number, string][] = []
  let fence: string | undefined
  let isTold = false
  for (const [index, line] of readFileSync(join(ROOT, path), 'utf8').split('\n').entries()) {
    const [, info] = /^ *```(.*)$/.exec(line) ?? []
    if (info !== undefined) {
      fence = fence === undefined ? info.trim() : undefined
      isTold = false
      continue
    }
    // a block without a fence is indented by four spaces, after an empty line
    const isIndented = fence === undefined && /^ {4}\S/.test(line)
    const isShell = fence === '' || fence === 'sh' || isIndented
    if (line === '' && fence === undefined) isTold = false
    if (!isShell || isTold || !PROGRAMS.test(line)) continue
    isTold = true
    found.push([path, index + 1, line.trim().slice(0, 60)])
  }
  return found
}
