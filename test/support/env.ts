import 'reflect-metadata';

// As the service runs: graphql checks every value it is handed twice unless NODE_ENV says production.
process.env.NODE_ENV = 'production';
