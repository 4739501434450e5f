// The views of the console: where each is found, its key and its code, which is loaded when the view is first shown.
import type { ComponentType } from 'preact'
import type { IconName } from './ui/icons.tsx'

/** The properties of a view: the parts of the address after its name. */
export interface ViewProps {
  rest: readonly string[]
}

export interface ViewEntry {
  /** The first part of the address. */
  name: string
  title: string
  icon: IconName
  /** The key that opens the view after `g`. */
  key: string
  group: 'Fleet' | 'Automation' | 'Master'
  load(): Promise<{ default: ComponentType<ViewProps> }>
}

export const VIEWS: readonly ViewEntry[] = [
  {
    name: 'overview',
    title: 'Overview',
    icon: 'overview',
    key: 'o',
    group: 'Fleet',
    load: () => import('./views/overview.tsx'),
  },
  {
    name: 'minions',
    title: 'Minions',
    icon: 'minions',
    key: 'm',
    group: 'Fleet',
    load: () => import('./views/minions.tsx'),
  },
  { name: 'run', title: 'Run', icon: 'run', key: 'r', group: 'Fleet', load: () => import('./views/run.tsx') },
  { name: 'jobs', title: 'Jobs', icon: 'jobs', key: 'j', group: 'Fleet', load: () => import('./views/jobs.tsx') },
  { name: 'keys', title: 'Keys', icon: 'keys', key: 'k', group: 'Fleet', load: () => import('./views/keys.tsx') },
  {
    name: 'events',
    title: 'Events',
    icon: 'events',
    key: 'e',
    group: 'Automation',
    load: () => import('./views/events.tsx'),
  },
  {
    name: 'runs',
    title: 'Orchestrations',
    icon: 'flow',
    key: 'n',
    group: 'Automation',
    load: () => import('./views/runs.tsx'),
  },
  {
    name: 'reactor',
    title: 'Reactor',
    icon: 'reactor',
    key: 'a',
    group: 'Automation',
    load: () => import('./views/reactor.tsx'),
  },
  {
    name: 'schedules',
    title: 'Schedules',
    icon: 'schedule',
    key: 's',
    group: 'Automation',
    load: () => import('./views/schedules.tsx'),
  },
  { name: 'why', title: 'Why', icon: 'why', key: 'w', group: 'Automation', load: () => import('./views/why.tsx') },
  { name: 'files', title: 'Files', icon: 'files', key: 'f', group: 'Master', load: () => import('./views/files.tsx') },
  {
    name: 'users',
    title: 'Users and rights',
    icon: 'users',
    key: 'u',
    group: 'Master',
    load: () => import('./views/users.tsx'),
  },
  {
    name: 'settings',
    title: 'Settings',
    icon: 'settings',
    key: 't',
    group: 'Master',
    load: () => import('./views/settings.tsx'),
  },
]
