import logo from '../../docs/logo.svg';
import { SERVICE_PATH } from '../api/place.js';
import { t } from '../texts.js';

/** The way to the start page of the service. */
export function Brand() {
  return (
    <a className="brand" href={`${SERVICE_PATH}/`}>
      <img src={logo} alt="" width="22" height="22" />
      {t.product}
    </a>
  );
}

const PLACES = ['guides', 'docs', 'explorer'] as const;

/** The other pages for studios, as list items. */
export function Places() {
  return PLACES.map((place) => (
    <li key={place}>
      <a href={`${SERVICE_PATH}/${place}`}>{t.places[place]}</a>
    </li>
  ));
}
