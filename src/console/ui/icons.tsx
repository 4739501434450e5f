// Line icons of 16 by 16, drawn for the console.

const PATHS = {
  overview: 'M2 9h5V2H2zM9 14h5V7H9zM2 14h5v-3H2zM9 5h5V2H9z',
  minions: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  run: 'M4 2.8v10.4L13 8z',
  jobs: 'M3 4h10M3 8h10M3 12h6',
  events: 'M1.5 8h3l2-5 3 10 2-5h3',
  flow: 'M3.5 2v12M3.5 8h5a3 3 0 0 0 3-3V4M11.5 4h.01M8.5 8h4M12.5 8h.01',
  reactor: 'M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z',
  why: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.8M8 12.8h.01',
  keys: 'M10 6a3.5 3.5 0 1 0-3.2 3.5L8 8.3h1.7V6.6h1.6zM5 6h.01M9.5 8.5l4 4v1.5H12l-1-1',
  files: 'M3 1.5h6l4 4v9H3zM9 1.5v4h4',
  folder: 'M1.5 3.5h4.5l1.5 2h7v8h-13z',
  users: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8zM2.5 14a5.5 5.5 0 0 1 11 0',
  settings: 'M2 4.5h7M12 4.5h2M10.5 3v3M2 11.5h2M7 11.5h7M5.5 10v3',
  schedule: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.3l2.2 1.4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'm3.5 3.5 9 9M12.5 3.5l-9 9',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  pause: 'M5 3v10M11 3v10',
  up: 'm4 10 4-4 4 4',
  down: 'm4 6 4 4 4-4',
  left: 'm10 3-5 5 5 5',
  plus: 'M8 3v10M3 8h10',
  retry: 'M13 8a5 5 0 1 1-1.5-3.6L13 6M13 2.5V6H9.5',
  stop: 'M4 4h8v8H4z',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  user: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8zM2.5 14a5.5 5.5 0 0 1 11 0',
  theme: 'M8 14A6 6 0 1 0 8 2zM8 2v12',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  link: 'M6.5 9.5l3-3M7 4.5l1.3-1.3a2.5 2.5 0 0 1 3.5 3.5L10.5 8M9 11.5l-1.3 1.3a2.5 2.5 0 0 1-3.5-3.5L5.5 8',
  warning: 'M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.7h.01',
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon-svg" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
