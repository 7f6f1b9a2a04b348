// Opens a file through JDBC as DBeaver and Metabase do, read-only, and reads it, again and again until standard input ends.
// java -cp duckdb_jdbc.jar ReadAgain.java FILE SQL held|again
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Properties;

public class ReadAgain {
    static volatile boolean going = true;

    public static void main(String[] arguments) throws Exception {
        Thread end = new Thread(() -> {
            try {
                System.in.readAllBytes();
            } catch (java.io.IOException ignored) {
            }
            going = false;
        });
        end.setDaemon(true);
        end.start();
        Properties readOnly = new Properties();
        readOnly.setProperty("duckdb.read_only", "true");
        String url = "jdbc:duckdb:" + arguments[0];
        Connection connection = DriverManager.getConnection(url, readOnly);
        while (going) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(arguments[1])) {
                rows.next();
                System.out.println(rows.getString(1));
            }
            if (arguments[2].equals("again")) {
                connection.close();
                connection = DriverManager.getConnection(url, readOnly);
            }
            Thread.sleep(400);
        }
        connection.close();
    }
}
