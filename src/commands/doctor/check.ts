/** One line of `cadre doctor`. */
export interface DoctorCheck {
  name: string;
  /** `error`: something will not work. `warning`: it works, but the user should know. */
  state: 'ok' | 'warning' | 'error';
  text: string;
}
