/** Values that a file's text may name as `${CLAUDE_PROJECT_DIR}` or `${CADRE_PROJECT_DIR}`, by these names. */
export type TextPlaces = Readonly<Record<string, string>>;

export interface KnownPlaces {
  /** Where the session was started. */
  projectDirectory: string;
  /** Absent where no session runs. */
  sessionId?: string | undefined;
  /** Only for files of a plugin: its directory. */
  pluginRoot?: string | undefined;
  /** Only for skills and commands: the directory of the file. */
  skillDirectory?: string | undefined;
}

/** Unknown values have no name here: then the text stays as it is. */
export function nameTextPlaces(known: KnownPlaces): TextPlaces {
  const pairs = [
    ['PROJECT_DIR', known.projectDirectory],
    ['SESSION_ID', known.sessionId],
    ['PLUGIN_ROOT', known.pluginRoot],
    ['SKILL_DIR', known.skillDirectory],
  ].flatMap(([name, value]) =>
    value === undefined ? [] : ['CLAUDE', 'CADRE'].map((product) => [`${product}_${name}`, value]),
  );
  return Object.fromEntries(pairs);
}

/** Text without arguments, such as a rule or an agent's prompt, with these values inserted. */
export function fillTextPlaces(text: string, places: TextPlaces): string {
  if (!text.includes('${')) return text;
  return text.replace(/\$\{(\w+)\}/g, (written, name: string) => findTextPlace(name, places) ?? written);
}

export function findTextPlace(name: string, places: TextPlaces): string | undefined {
  return Object.hasOwn(places, name) ? places[name] : undefined;
}
