// The packages and how they stand to each other and to Salt's. All packages of Salt need its salt-common in their own version. `brine`
// conflicts with that one and stands for it in no version, so that no package of Salt can stay beside it. A package with a unit stands
// for Salt's package of that daemon, in Salt's version.
import { SALT_VERSION } from '../../src/base/mod.ts'

export const PACKAGES = ['brine', 'brine-master', 'brine-minion', 'brine-api', 'brine-syndic'] as const
export type PackageName = (typeof PACKAGES)[number]

interface Relations {
  summary: string
  description: string[]
  /** Packages of Salt for which this one stands, as a package manager writes it. */
  standsFor: string[]
  conflicts: string[]
  /** Packages of Salt whose files this one has. They do not conflict by name: `brine-master` provides `salt-master`. */
  replaces: string[]
  /** Packages of Brine that it needs in the same version. */
  needs: PackageName[]
  /** Debian's names of other packages. */
  depends: string[]
  recommends: string[]
  suggests: string[]
}

const INTRODUCTION = [
  'Brine is a drop-in replacement for Salt: the same commands, files in',
  '/etc/salt, states, formulas, modules, keys and wire protocol.',
]

export const RELATIONS: Readonly<Record<PackageName, Relations>> = {
  brine: {
    summary: 'remote execution and configuration management, compatible with Salt',
    description: [
      ...INTRODUCTION,
      '.',
      'This package has all programs, salt-call and salt-ssh among them, and',
      'the Node.js that they run on. It starts no daemon.',
    ],
    standsFor: ['salt-common', 'salt-ssh', 'salt-cloud'],
    conflicts: ['salt-common', 'salt-ssh', 'salt-cloud', 'salt-dbg'],
    replaces: ['salt-common', 'salt-master', 'salt-minion', 'salt-api', 'salt-ssh', 'salt-syndic', 'salt-cloud'],
    needs: [],
    // the libraries that the published build of Node.js is linked with
    depends: ['libc6 (>= 2.28)', 'libgcc-s1 | libgcc1', 'libstdc++6 (>= 8)'],
    recommends: ['python3'],
    suggests: ['git', 'openssh-client'],
  },
  'brine-master': {
    summary: 'master of Brine, compatible with Salt',
    description: [...INTRODUCTION, '.', 'This package has the service salt-master.'],
    standsFor: [`salt-master (= ${SALT_VERSION})`],
    conflicts: ['salt-master'],
    replaces: ['salt-master'],
    needs: ['brine'],
    depends: ['passwd'],
    recommends: [],
    suggests: ['brine-api', 'brine-syndic'],
  },
  'brine-minion': {
    summary: 'minion of Brine, compatible with Salt',
    description: [...INTRODUCTION, '.', 'This package has the service salt-minion.'],
    standsFor: [`salt-minion (= ${SALT_VERSION})`],
    conflicts: ['salt-minion'],
    replaces: ['salt-minion'],
    needs: ['brine'],
    depends: [],
    recommends: ['debconf-utils', 'dmidecode'],
    suggests: [],
  },
  'brine-api': {
    summary: 'REST API of Brine, compatible with Salt',
    description: [
      ...INTRODUCTION,
      '.',
      'This package has the service salt-api, for sites that run the API in a',
      'process of its own. A master can also serve the API itself.',
    ],
    standsFor: [`salt-api (= ${SALT_VERSION})`],
    conflicts: ['salt-api'],
    replaces: ['salt-api'],
    needs: ['brine-master'],
    depends: [],
    recommends: [],
    suggests: [],
  },
  'brine-syndic': {
    summary: 'syndic of Brine, compatible with Salt',
    description: [
      ...INTRODUCTION,
      '.',
      'This package has the service salt-syndic, which connects the master of',
      'this machine to a master above it.',
    ],
    standsFor: [`salt-syndic (= ${SALT_VERSION})`],
    conflicts: ['salt-syndic'],
    replaces: ['salt-syndic'],
    needs: ['brine', 'brine-master'],
    depends: [],
    recommends: [],
    suggests: [],
  },
}

/** The unit that a package has. */
export const unitOf = (name: PackageName): string | undefined =>
  name === 'brine' ? undefined : `${name.replace('brine', 'salt')}.service`
